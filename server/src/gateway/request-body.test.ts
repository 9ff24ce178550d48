import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { capped, LARGEST_BODY_BYTES } from './request-body.ts';

/** A body of any length; `taken` says how much of it was read. */
function body(bytes: number): IncomingMessage & { taken: number } {
  const source = Object.assign(
    new Readable({
      read(size) {
        const length = Math.min(size, bytes - source.taken);
        source.taken += length;
        source.push(length > 0 ? Buffer.alloc(length) : null);
      },
    }),
    { taken: 0 },
  );
  return source as unknown as IncomingMessage & { taken: number };
}

test('a body of the largest allowed size passes completely', async () => {
  let passed = 0;
  const passing = capped(body(LARGEST_BODY_BYTES), () => expect.unreachable());
  for await (const chunk of passing) passed += (chunk as Buffer).length;
  expect(passed).toBe(LARGEST_BODY_BYTES);
});

test('one byte more aborts it, after reporting the reason', async () => {
  let told = 0;
  const passing = capped(body(LARGEST_BODY_BYTES + 1), () => told++);
  await expect(passing.toArray()).rejects.toThrow('too large');
  expect(told).toBe(1);
});

test('reads no more from a caller than the upstream accepts', async () => {
  const source = body(LARGEST_BODY_BYTES);
  const passing = capped(source, () => {});
  for (let turn = 0; turn < 100; turn++) await nextTurn();
  expect(source.taken).toBeLessThan(LARGEST_BODY_BYTES / 2);
  passing.resume();
  while (!passing.readableEnded) await nextTurn();
  expect(source.taken).toBe(LARGEST_BODY_BYTES);
});

test('destroying the forwarded body does not destroy the request', async () => {
  const source = body(LARGEST_BODY_BYTES);
  capped(source, () => {}).destroy();
  await nextTurn();
  expect(source.destroyed).toBe(false);
});
