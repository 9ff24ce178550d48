import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ManualClock } from '../../testing/manual-clock.ts';
import { silentLog } from '../../testing/silent-log.ts';
import { startBatchedWrites } from './batched-writes.ts';

test('a database that is away is tried less and less often, and gets everything once', async () => {
  const clock = new ManualClock();
  const left = ['first', 'second'];
  const stored: string[] = [];
  let tries = 0;
  const writes = startBatchedWrites<string>({
    what: 'the test',
    environment: 'production',
    everyMs: 1_000,
    *batches() {
      for (let one = left.shift(); one; one = left.shift()) yield one;
    },
    async write(one) {
      if (++tries < 9) throw new Error('The database is away.');
      stored.push(one);
    },
    written() {},
    waiting: () => 2 - stored.length,
    clock,
    log: silentLog(),
  });
  const waitsMs: unknown[] = [];
  for (let rounds = 0; rounds < 9; rounds++) {
    waitsMs.push(clock.nextTimerInMs);
    clock.advance(clock.nextTimerInMs ?? 0);
    await nextTurn();
  }
  expect(waitsMs).toEqual([1, 1, 2, 4, 8, 16, 30, 30, 30].map((seconds) => seconds * 1_000));
  expect(stored).toEqual(['first', 'second']);
  expect(clock.nextTimerInMs).toBe(1_000);
  await writes.stop();
  expect(clock.nextTimerInMs).toBeUndefined();
});
