import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { getDefaultHighWaterMark } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { listening } from '../../../test/support.ts';
import { head, openWire } from '../../e2e/wire.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { Metrics } from '../base/metrics.ts';
import { boundConnections } from './connections.ts';
import { LINGER_MS } from './raw-reply.ts';

async function startListener(serve: RequestListener) {
  const clock = new ManualClock();
  const connections = boundConnections({
    listener: 'test',
    trustedProxies: [],
    clock,
    metrics: new Metrics(),
  });
  const at = await listening(createServer(connections.serverOptions, connections.inTurn(serve)));
  return { clock, address: at.url };
}

const HIGH_WATER_MARK = getDefaultHighWaterMark(false);
const CHUNKED = { 'transfer-encoding': 'chunked' };
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;

test('a body arrives unchanged, whatever its pieces are', async () => {
  const { address } = await startListener(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece);
    response.end(Buffer.concat(pieces));
  });
  const wire = await openWire(address);
  const lengths = fc.oneof(
    { weight: 20, arbitrary: fc.integer({ min: 1, max: 8 }) },
    fc.integer({ min: 1, max: 5_000 }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(lengths, { minLength: 1, maxLength: 3_000 }), async (each) => {
      const pieces = each.map((length, n) => String.fromCharCode(97 + (n % 26)).repeat(length));
      wire.write(head('POST /', CHUNKED) + pieces.map(chunk).join('') + chunk(''));
      expect((await wire.next()).text).toBe(pieces.join(''));
    }),
    { numRuns: 30 },
  );
  wire.socket.destroy();
});

test('small pieces are joined', async () => {
  const sizes: number[] = [];
  const { address } = await startListener((request, response) => {
    request.on('data', ({ length }) => sizes.push(length));
    request.on('end', () => response.end('ok'));
  });
  const wire = await openWire(address);
  wire.write(head('POST /', CHUNKED) + chunk('x').repeat(20_000) + chunk(''));
  expect((await wire.next()).text).toBe('ok');
  wire.socket.destroy();
  expect(sizes.reduce((sum, size) => sum + size)).toBe(20_000);
  expect(sizes.length).toBeLessThan(30);
});

test('a body that nobody takes is not read on', async () => {
  let request: IncomingMessage | undefined;
  const { address } = await startListener((one) => {
    request = one;
  });
  const wire = await openWire(address);
  wire.write(head('POST /', CHUNKED) + chunk('x').repeat(500_000));
  const held = () => request?.readableLength ?? 0;
  await expect.poll(held, { timeout: 10_000 }).toBeGreaterThanOrEqual(HIGH_WATER_MARK);
  // In each of these, it could be read once more.
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect(held()).toBeLessThan(2 * HIGH_WATER_MARK);
  wire.socket.destroy();
});

test('what is left of a body that nobody reads is skipped, or the connection is cut', async () => {
  const { clock, address } = await startListener((_request, response) => response.end('ok'));
  const wire = await openWire(address);
  const request = head('GET /', CHUNKED);
  wire.write(request);
  expect((await wire.next()).text).toBe('ok');
  wire.write(chunk('x').repeat(1_000) + chunk('') + request);
  expect((await wire.next()).text).toBe('ok');
  wire.write(chunk('x'));
  await expect.poll(() => clock.nextTimerInMs).toBe(LINGER_MS);
  clock.advance(LINGER_MS);
  expect(String(await wire.ended())).toBe('');
});
