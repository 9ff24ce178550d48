import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ClientOptions, createClient, PartnerApiError } from './client.ts';

const ENTRY = {
  endpoint: 'api/b2b/v3/overview/',
  is_active: true,
  is_debug_mode: false,
  is_limited: true,
  requests_number: 100,
  seconds_number: 86_400,
};

async function clientOf(answer: RequestListener, options: Partial<ClientOptions> = {}) {
  const server = createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}//`;
  return createClient({ baseUrl, keyId: '17', apiKey: 'schlüssel', ...options });
}

function answering(status: number, body: string, headers: Record<string, string> = {}) {
  return clientOf((_request, response) => {
    response.writeHead(status, headers);
    response.end(body);
  });
}

async function errorOf(overview: Promise<unknown>): Promise<PartnerApiError> {
  const error = await overview.then(
    () => undefined,
    (caught) => caught,
  );
  expect(error).toBeInstanceOf(PartnerApiError);
  return error;
}

test('signs in with HTTP Basic, in UTF-8, and asks for the overview', async () => {
  const seen: unknown[] = [];
  const client = await clientOf(({ url, headers }, response) => {
    seen.push(url, headers.authorization);
    response.end(JSON.stringify({ data: [ENTRY], debug: null, error: null, status: 'ok' }));
  });
  expect(await client.overview()).toEqual([ENTRY]);
  const pair = Buffer.from('17:schlüssel', 'utf8').toString('base64');
  expect(seen).toEqual(['/api/b2b/v3/overview/', `Basic ${pair}`]);
});

test('calls any endpoint with the caller’s own method, headers and body', async () => {
  const client = await clientOf(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    response.end(JSON.stringify([request.method, request.url, request.headers['x-mine'], body]));
  });
  const init = { method: 'POST', headers: { 'x-mine': 'yes' }, body: 'text' };
  const reply = await client.call('/api/b2b/v3/search/hp/?page=2', init);
  expect(await reply.json()).toEqual(['POST', '/api/b2b/v3/search/hp/?page=2', 'yes', 'text']);
});

describe('a refusal', () => {
  test('is an error with the status, the code, the request and the time to wait', async () => {
    const body = JSON.stringify({ data: null, error: 'endpoint_exceeded_limit', status: 'error' });
    const client = await answering(429, body, { 'retry-after': '7', 'x-request-id': 'abc' });
    expect(await errorOf(client.overview())).toMatchObject({
      status: 429,
      code: 'endpoint_exceeded_limit',
      requestId: 'abc',
      retryAfterSeconds: 7,
      message: 'The service answered 429: endpoint_exceeded_limit.',
    });
  });

  test('may be an object with a code and a message, which is the default', async () => {
    const error = { code: 'api_access_disabled', message: 'The key is disabled. Ask API support.' };
    const client = await answering(403, JSON.stringify({ data: [], error, status: 'error' }));
    expect(await errorOf(client.overview())).toMatchObject({
      code: 'api_access_disabled',
      message:
        'The service answered 403: api_access_disabled. The key is disabled. Ask API support.',
    });
  });

  test.each([7, null, {}, { code: 7 }, []])(
    'with the error %j is an unreadable reply',
    async (error) => {
      const client = await answering(403, JSON.stringify({ data: null, error, status: 'error' }));
      expect(await errorOf(client.overview())).toMatchObject({ code: 'unreadable_reply' });
    },
  );

  test('may give the time to wait as a date', async () => {
    const date = new Date(Date.now() + 3_600_000).toUTCString();
    const client = await answering(503, '', { 'retry-after': date });
    const { retryAfterSeconds = 0 } = await errorOf(client.overview());
    expect(Math.round(retryAfterSeconds / 600)).toBe(6);
  });

  test.each([undefined, '', 'soon', '-1'])('without a usable Retry-After (%s)', async (value) => {
    const client = await answering(503, '', value === undefined ? {} : { 'retry-after': value });
    const { retryAfterSeconds } = await errorOf(client.overview());
    // Some parsers read "-1" as a date in the past.
    expect(retryAfterSeconds ?? 0).toBe(0);
  });
});

test.each([
  ['an error page of a proxy', 502, '<html>'],
  ['nothing', 200, ''],
  ['JSON that is not an envelope', 200, 'null'],
  ['another status', 200, JSON.stringify({ data: [], status: 'queued' })],
  ['data that is not a list', 200, JSON.stringify({ data: {}, status: 'ok' })],
  ['an invalid entry', 200, JSON.stringify({ data: [null], status: 'ok' })],
  [
    'an entry with text for a number',
    200,
    JSON.stringify({ data: [{ ...ENTRY, requests_number: '100' }], status: 'ok' }),
  ],
])('unreadable_reply for %s', async (_what, status, body) => {
  const client = await answering(status, body);
  expect(await errorOf(client.overview())).toMatchObject({ status, code: 'unreadable_reply' });
});

test('a call can be aborted', async () => {
  const client = await clientOf(() => {});
  const overview = client.overview(AbortSignal.timeout(20));
  await expect(overview).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('refuses a key id with a colon', async () => {
  await expect(clientOf(() => {}, { keyId: '1:2' })).rejects.toThrow('colon');
});

test.each(['baseUrl', 'keyId', 'apiKey'] as const)('refuses an empty or unset %s', (name) => {
  const options = { baseUrl: 'https://api.example.com', keyId: '17', apiKey: 'key' };
  for (const value of ['', undefined]) {
    const given = { ...options, [name]: value } as ClientOptions;
    expect(() => createClient(given)).toThrow(`${name} is empty. Check where it is read from.`);
  }
});
