/** The back office answers invalid HTTP with a problem too. */
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { problems } from '../src/resources/problem.ts';
import { ADMIN_TOKEN } from '../testing/bellhop.ts';
import { sharedBackOffice } from '../testing/engines.ts';
import { call, head, openWire, type Reply } from './wire.ts';

const bellhop = sharedBackOffice();
const PARTNERS = '/support/v1/production/partners';
const authorization = `Bearer ${ADMIN_TOKEN}`;
const HOST = 'Host: bellhop.test\r\n';

function expectProblem(reply: Reply, code: keyof typeof problems): void {
  const { status, title } = problems[code];
  expect([reply.status, reply.headers['content-type']]).toEqual([
    status,
    'application/problem+json',
  ]);
  expect(reply.json).toMatchObject({ type: `urn:bellhop:problem:${code}`, title, status, code });
  expect(reply.headers['content-security-policy']).toContain("default-src 'none'");
  expect(reply.headers['cache-control']).toBe('no-store');
}

/** Writes bytes, and expects one problem and the end of the connection. */
async function refused(bytes: string, code: keyof typeof problems): Promise<void> {
  const wire = await openWire(bellhop().addresses.backOffice);
  wire.write(bytes);
  const reply = await wire.next();
  expectProblem(reply, code);
  expect(reply.headers.connection).toBe('close');
  expect(String(await wire.ended())).toBe('');
}

describe('400 malformed_request', () => {
  test.each([
    ['no HTTP at all', 'hello\r\n\r\n'],
    ['another version', `GET / HTTP/9.9\r\n${HOST}\r\n`],
    ['a header without a colon', `GET / HTTP/1.1\r\n${HOST}nonsense\r\n\r\n`],
    ['a length that is not a number', `POST / HTTP/1.1\r\n${HOST}Content-Length: 1x\r\n\r\n`],
    [
      'a length and chunks',
      `POST / HTTP/1.1\r\n${HOST}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    ],
    ['no Host', 'GET /health/live HTTP/1.1\r\n\r\n'],
    ['two Hosts', `GET /health/live HTTP/1.1\r\n${HOST}${HOST}\r\n`],
    ['a Host with a space', 'GET /health/live HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['a Host with a user, for a page', 'GET / HTTP/1.1\r\nHost: user@example.com\r\n\r\n'],
    ['a Host with a path, anywhere', 'GET /nothing HTTP/1.1\r\nHost: example.com/a\r\n\r\n'],
    ['a Host with a space, before 405', 'PUT /console/session HTTP/1.1\r\nHost: a b\r\n\r\n'],
    ['a Host with a space, before 404', 'GET /%ff HTTP/1.1\r\nHost: a b\r\n\r\n'],
  ])('for %s', (_what, bytes) => refused(bytes, 'malformed_request'));
});

describe('methods', () => {
  test.each(['BREW', 'get', 'X-PLAIN'])('answers 501 to the unknown method %s', (method) =>
    refused(head(`${method} ${PARTNERS}`), 'method_not_implemented'),
  );

  test('answers 501 to CONNECT', () =>
    refused(head('CONNECT bellhop.test:443'), 'method_not_implemented'));

  test.each(['QUERY', 'PROPFIND', 'TRACE'])(
    'answers 405 to %s on an existing path, and 404 elsewhere',
    async (method) => {
      const { backOffice } = bellhop().addresses;
      const known = await call(backOffice, { method, path: PARTNERS, authorization });
      expectProblem(known, 'method_not_allowed');
      expect(known.headers.allow?.split(', ').sort()).toEqual(['GET', 'HEAD', 'POST']);
      const unknown = await call(backOffice, { method, path: '/support/v1/nothing' });
      expectProblem(unknown, 'route_not_found');
    },
  );

  test('OPTIONS and Allow name the methods of the very route, for every route of the document', async () => {
    const { backOffice } = bellhop().addresses;
    const { json: document } = await call(backOffice, { path: '/openapi.json' });
    for (const [template, item] of Object.entries(document.paths)) {
      const path = template.replace('{environment}', 'production').replace(/\{\w+\}/g, 'x');
      const described = Object.keys(item as object).map((method) => method.toUpperCase());
      const allowed = described.includes('GET') ? ['HEAD', ...described] : described;
      for (const method of ['OPTIONS', 'GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']) {
        if (allowed.includes(method)) continue;
        const reply = await call(backOffice, { method, path: `${path}?x`, authorization });
        const allow = reply.headers.allow?.split(', ').sort();
        expect([method, path, reply.status, allow]).toEqual([method, path, 405, allowed.sort()]);
      }
    }
  });

  test.each([
    ['an origin', `http://bellhop.test${PARTNERS}/count`],
    ['encoded letters', `${PARTNERS.replace('p', '%70')}/coun%74`],
  ])('Allow is right for an address with %s', async (_what, path) => {
    const { backOffice } = bellhop().addresses;
    expect((await call(backOffice, { path, authorization })).status).toBe(200);
    const reply = await call(backOffice, { method: 'PATCH', path, authorization });
    expect([reply.status, reply.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  test('ignores an unknown Expect header', async () => {
    const reply = await call(bellhop().addresses.backOffice, {
      path: '/health/live',
      headers: { expect: 'tea' },
    });
    expect([reply.status, reply.json]).toEqual([200, { status: 'live' }]);
  });
});

describe('sizes and codings', () => {
  test('answers 431 to headers over 16 KiB', () =>
    refused(head('GET /health/live', { 'X-Large': 'x'.repeat(17_000) }), 'headers_too_large'));

  test('answers 413 to a body over 1 MiB, announced or not', async () => {
    const body = Buffer.alloc(1_048_577, ' ');
    const framings: Record<string, string>[] = [
      { 'content-length': String(body.length) },
      { 'transfer-encoding': 'chunked' },
    ];
    for (const framing of framings) {
      const reply = await call(bellhop().addresses.backOffice, {
        method: 'POST',
        path: PARTNERS,
        authorization,
        headers: { 'content-type': 'application/json', ...framing },
        body,
      });
      expectProblem(reply, 'body_too_large');
    }
  });

  test.each(['gzip', 'br', 'GZIP', 'gzip, identity', 'nonsense'])(
    'answers 415 to a body with the coding %s',
    async (coding) => {
      const reply = await call(bellhop().addresses.backOffice, {
        method: 'POST',
        path: PARTNERS,
        authorization,
        headers: { 'content-type': 'application/json', 'content-encoding': coding },
        body: gzipSync('{"name":"x","integration_started_on":"2025-11-01","is_new":true}'),
      });
      expectProblem(reply, 'unsupported_media_type');
      expect(reply.json.detail).toBe('The body is compressed. Send it without Content-Encoding.');
    },
  );

  test('accepts the coding identity, which means no coding', async () => {
    const reply = await call(bellhop().addresses.backOffice, {
      method: 'POST',
      path: PARTNERS,
      authorization,
      headers: { 'content-type': 'application/json', 'content-encoding': 'identity' },
      body: '{"name":"x","integration_started_on":"2025-11-01","is_new":true}',
    });
    expect(reply.status).toBe(201);
  });
});

describe('a 422', () => {
  const send = async (body: object | string) => {
    const reply = await call(bellhop().addresses.backOffice, {
      method: 'POST',
      path: PARTNERS,
      authorization,
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    expectProblem(reply, 'validation_failed');
    return reply;
  };

  test('explains in plain words what is wrong with each field', async () => {
    const { json } = await send({ name: '', integration_started_on: 'soon', is_new: 'yes' });
    expect(json.errors).toEqual([
      { field: '/name', detail: 'must not be empty' },
      { field: '/integration_started_on', detail: 'must be a date such as 2026-01-31' },
      { field: '/is_new', detail: 'must be true or false' },
    ]);
    expect(json.detail).toBe(
      '/name must not be empty; /integration_started_on must be a date such as 2026-01-31; /is_new must be true or false.',
    );
  });

  test('names at most 20 fields, and says how many more there are', async () => {
    const unknown = Array.from({ length: 90 }, (_, i) => [`unknown_${i}`, i]);
    const { json, body } = await send({
      name: 'x',
      integration_started_on: '2025-11-01',
      is_new: true,
      ...Object.fromEntries(unknown),
    });
    expect(json.errors).toHaveLength(20);
    expect(json.detail).toMatch(/; and 70 more errors\.$/);
    expect(body.length).toBeLessThan(16_384);
  });

  test('truncates the name of an unknown field that is too long', async () => {
    const { json, body } = await send(`{"${'n'.repeat(4_000)}":1}`);
    expect(json.errors.at(-1).field.length).toBeLessThan(202);
    expect(body.length).toBeLessThan(16_384);
  });
});
