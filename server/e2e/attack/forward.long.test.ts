/** Partners that try to keep others from reaching the booking core, with the real limits. */
import { once } from 'node:events';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { TestKey } from '../../testing/bellhop.ts';
import { expectRefusal } from '../expect-refusal.ts';
import { sharedBellhop } from '../one-bellhop-per-file.ts';
import { sharedUpstream } from '../upstream.ts';
import { call, FORWARDED_PATH, head, openWire, readReply } from '../wire.ts';

const UNLIMITED_PATH = '/api/b2b/v3/hotel/order/booking/finish/status/';
/** More than the 512 connections to the booking core. */
const MANY = 520;
/** A single partner's share of them. */
const MOST = 256;

const upstream = sharedUpstream();
const bellhop = sharedBellhop(() => ({
  BELLHOP_ENVIRONMENTS: 'sandbox',
  BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url,
  BELLHOP_SANDBOX_UPSTREAM_TIMEOUT: '8s',
}));

const hoarded: ClientRequest[] = [];
const wires: Socket[] = [];
afterEach(async () => {
  for (const request of hoarded.splice(0)) request.destroy();
  for (const socket of wires.splice(0)) socket.destroy();
  // A caller that hangs up in the middle of a reply could be one that only stopped sending, so it keeps its call for
  // some seconds. The next test begins without it.
  await expect.poll(() => unended).toBe(0);
});

/** Replies of the booking core that have begun and not ended. */
let unended = 0;

/** Replies to these keys start but never end; all others are complete. */
function neverEndingFor(...keys: TestKey[]): void {
  const ids = keys.map(({ keyId }) => keyId);
  upstream.answer = (request, response) => {
    if (!ids.includes(String(request.headers['x-bellhop-key-id']))) {
      response.end('{}');
      return;
    }
    response.writeHead(200, { 'Content-Length': '1000' });
    response.write('a beginning');
    unended++;
    response.once('close', () => void unended--);
  };
}

/** Calls whose replies nobody reads. */
function hoard(key: TestKey, calls: number): void {
  for (let i = 0; i < calls; i++) {
    const request = httpRequest(bellhop.addresses.sandbox, {
      path: UNLIMITED_PATH,
      agent: false,
      headers: { authorization: key.authorization },
    });
    request.on('error', () => {});
    request.end();
    hoarded.push(request);
  }
}

async function untilUpstreamHas(requests: number): Promise<void> {
  while (upstream.requests.length < requests) await nextTurn();
}

async function standingOf(key: TestKey, path: string): Promise<number> {
  const { body } = await bellhop.support('GET', `/support/v1/sandbox/keys/${key.keyId}/usage`);
  const entry = body.items.find(({ endpoint }: { endpoint: string }) => `/${endpoint}` === path);
  return entry.remaining;
}

test('520 calls with unread replies: other partners are served, and the caller gets 429', async () => {
  const hostile = await bellhop.newKey('sandbox');
  const other = await bellhop.newKey('sandbox');
  neverEndingFor(hostile);
  hoard(hostile, MANY);
  await untilUpstreamHas(MOST);

  for (let i = 0; i < 5; i++) {
    const reply = await call(bellhop.addresses.sandbox, { ...other, path: FORWARDED_PATH });
    expect(reply.status).toBe(200);
  }
  const before = await standingOf(hostile, FORWARDED_PATH);
  const refused = await call(bellhop.addresses.sandbox, { ...hostile, path: FORWARDED_PATH });
  expectRefusal(refused, 429, 'too_many_calls_in_flight', {
    key_id: hostile.keyId,
    api_endpoint: FORWARDED_PATH.slice(1),
  });
  expect(refused.headers['retry-after']).toBe('1');
  expect(refused.headers['x-ratelimit-remaining']).toBe(String(before));
  expect(await standingOf(hostile, FORWARDED_PATH)).toBe(before);
  // Bellhop answers the overview itself, without the booking core.
  expect((await call(bellhop.addresses.sandbox, hostile)).status).toBe(200);
  expect(upstream.requests.length).toBe(MOST + 5);

  for (const request of hoarded.splice(0)) request.destroy();
  neverEndingFor();
  await expect.poll(() => unended).toBe(0);
  const after = await call(bellhop.addresses.sandbox, { ...hostile, path: FORWARDED_PATH });
  expect(after.status).toBe(200);
});

test('all keys of a partner share one quota of connections', async () => {
  const hostile = await bellhop.newKey('sandbox');
  const keys = `/support/v1/sandbox/partners/${hostile.partnerId}/keys`;
  const { body } = await bellhop.support('POST', keys, {});
  const authorization = `Basic ${Buffer.from(`${body.key_id}:${body.api_key}`).toString('base64')}`;
  const second = { ...hostile, keyId: body.key_id as string, authorization };
  const other = await bellhop.newKey('sandbox');
  neverEndingFor(hostile, second);
  hoard(hostile, MOST / 2);
  hoard(second, MOST / 2 + 50);
  await untilUpstreamHas(MOST);
  expect((await call(bellhop.addresses.sandbox, { ...other, path: FORWARDED_PATH })).status).toBe(
    200,
  );
  expect(upstream.requests.length).toBe(MOST + 1);
});

test('incomplete bodies hold no connection to the booking core', async () => {
  const hostile = await bellhop.newKey('sandbox');
  const other = await bellhop.newKey('sandbox');
  upstream.answer = (_request, response) => response.end('{}');
  for (let i = 0; i < MANY; i++) {
    const { socket } = await openWire(bellhop.addresses.sandbox);
    wires.push(socket);
    const headers = { Authorization: hostile.authorization, 'Content-Length': '1000' };
    socket.write(`${head(`POST ${UNLIMITED_PATH}`, headers)}{`);
  }
  const body = '{}';
  const reply = await call(bellhop.addresses.sandbox, {
    ...other,
    path: FORWARDED_PATH,
    method: 'POST',
    body,
  });
  expect(reply.status).toBe(200);
  expect(upstream.requests).toHaveLength(1);
});

test('a partner that makes 400 calls at once gets all of them answered, if the calls end', async () => {
  const busy = await bellhop.newKey('sandbox');
  upstream.answer = (_request, response) => setTimeout(() => response.end('{}'), 20);
  const agent = new Agent({ keepAlive: true });
  const replies = await Promise.all(
    Array.from({ length: 400 }, async () => {
      const request = httpRequest(bellhop.addresses.sandbox, {
        path: UNLIMITED_PATH,
        agent,
        headers: { authorization: busy.authorization },
      });
      request.end();
      const [response] = (await once(request, 'response')) as [IncomingMessage];
      return (await readReply(response)).status;
    }),
  );
  agent.destroy();
  expect(replies.filter((status) => status === 200)).toHaveLength(400);
});

describe('headers that programs behind Bellhop could misread', () => {
  test.each(['Proxy', 'X_Bellhop_Key_Id', 'X_Own', 'Content_Length', 'X-Original-URL'])(
    '%s does not reach the booking core',
    async (name) => {
      const key = await bellhop.newKey('sandbox');
      upstream.answer = (_request, response) => response.end('{}');
      const headers = { [name]: 'x', 'X-HTTP-Method-Override': 'GET' };
      await call(bellhop.addresses.sandbox, { ...key, path: FORWARDED_PATH, headers });
      const names = upstream.requests[0]?.rawHeaders.filter((_, i) => i % 2 === 0);
      expect(names).not.toContain(name);
      expect(names).toContain('X-HTTP-Method-Override');
    },
  );
});

test.each([
  ['100 Continue', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['103 Early Hints', 'HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'],
])('the reply of a booking core that first sends %s is forwarded', async (_name, interim) => {
  const key = await bellhop.newKey('sandbox');
  upstream.answer = ({ socket }) =>
    socket.write(`${interim}HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nreal`);
  const reply = await call(bellhop.addresses.sandbox, { ...key, path: FORWARDED_PATH });
  expect([reply.status, reply.text]).toEqual([200, 'real']);
});
