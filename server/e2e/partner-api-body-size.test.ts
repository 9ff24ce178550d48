/** How much a caller may send. A caller that sends more really receives the refusal. */
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import type { TestKey } from '../testing/bellhop.ts';
import { expectRefusal } from './expect-refusal.ts';
import { sharedBellhop } from './one-bellhop-per-file.ts';
import { bodyOf, sharedUpstream } from './upstream.ts';
import { call, FORWARDED_PATH, head, OVERVIEW_PATH, openWire, readReply } from './wire.ts';

const MIB = 1_048_576;

/** The sizes of the bodies that arrived complete. */
const received: number[] = [];
const upstream = sharedUpstream();
const bellhop = sharedBellhop(() => ({ BELLHOP_SANDBOX_UPSTREAM_URL: upstream.url }));
upstream.answer = async (request, response) => {
  try {
    received.push((await bodyOf(request)).length);
    response.end('taken');
  } catch {
    // The body was cut off, as expected.
  }
};
beforeEach(() => {
  received.length = 0;
});

async function used(key: TestKey, path: string): Promise<number> {
  const { body } = await bellhop.support('GET', `/support/v1/sandbox/keys/${key.keyId}/usage`);
  return body.items.find((item: { endpoint: string }) => `/${item.endpoint}` === path).used;
}

const chunked = { 'transfer-encoding': 'chunked' };
const cases = [
  { name: 'overview/, with its length', path: OVERVIEW_PATH, headers: {} },
  { name: 'overview/, in chunks', path: OVERVIEW_PATH, headers: chunked },
  { name: 'a forwarded endpoint, with its length', path: FORWARDED_PATH, headers: {} },
  { name: 'a forwarded endpoint, in chunks', path: FORWARDED_PATH, headers: chunked },
];

describe.each(cases)('$name', ({ path, headers }) => {
  test('accepts 1 MiB', async () => {
    const key = await bellhop.newKey('sandbox');
    const body = Buffer.alloc(MIB, 'x');
    const reply = await call(bellhop.addresses.sandbox, {
      ...key,
      method: 'POST',
      path,
      headers,
      body,
    });
    expect(reply.status).toBe(200);
    if (path === FORWARDED_PATH) expect(received).toEqual([MIB]);
  });

  test.each([
    ['one byte more', MIB + 1],
    ['twelve times as much', 12 * MIB],
  ])(
    '413 body_too_large for %s, even for a caller that reads only after sending everything',
    async (_what, size) => {
      const key = await bellhop.newKey('sandbox');
      const wire = await openWire(bellhop.addresses.sandbox);
      wire.socket.pause();
      const framing: Record<string, string> =
        headers === chunked ? { 'Transfer-Encoding': 'chunked' } : { 'Content-Length': `${size}` };
      wire.write(head(`POST ${path}`, { Authorization: key.authorization, ...framing }));
      const body = Buffer.alloc(size, 'x');
      if (headers === chunked) wire.write(`${size.toString(16)}\r\n`);
      await new Promise<void>((resolve, reject) => {
        wire.socket.write(body, (error) => (error ? reject(error) : resolve()));
      });
      if (headers === chunked) wire.write('\r\n0\r\n\r\n');
      wire.socket.resume();
      const reply = await wire.next();
      expectRefusal(reply, 413, 'body_too_large', {
        key_id: key.keyId,
        api_endpoint: path.slice(1),
      });
      expect(received).toEqual([]);
      // Chunks are counted as they pass, after the call has been admitted.
      const forwardedInChunks = path === FORWARDED_PATH && headers === chunked;
      expect(await used(key, path)).toBe(forwardedInChunks ? 1 : 0);
    },
  );

  test("answers 413 to Node's own client too, which is prone to report an error instead", async () => {
    const key = await bellhop.newKey('sandbox');
    const request = httpRequest(bellhop.addresses.sandbox, {
      method: 'POST',
      path,
      agent: false,
      headers: { authorization: key.authorization, ...headers },
    });
    request.end(Buffer.alloc(4 * MIB, 'x'));
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    expect((await readReply(response)).json.error.code).toBe('body_too_large');
  });
});

test('disconnects a caller that never stops sending', async () => {
  const wire = await openWire(bellhop.addresses.sandbox);
  wire.write(head(`POST ${OVERVIEW_PATH}`, { 'Content-Length': `${10 ** 12}` }));
  const block = Buffer.alloc(MIB, 'x');
  const send = () => {
    while (wire.socket.write(block));
  };
  wire.socket.on('drain', send);
  send();
  expect((await wire.next()).status).toBe(401);
  await wire.ended();
});

test('a call whose body ends too early does not count', async () => {
  const key = await bellhop.newKey('sandbox');
  const wire = await openWire(bellhop.addresses.sandbox);
  wire.write(
    `${head(`POST ${OVERVIEW_PATH}`, { Authorization: key.authorization, 'Content-Length': '10' })}123`,
  );
  wire.socket.end();
  await wire.ended();
  expect(received).toEqual([]);
  expect(await used(key, OVERVIEW_PATH)).toBe(0);
});
