/** The same property for every engine: see `holdChangesToTheRule`. */
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { test } from 'vitest';
import { describeWithRedis, freePort } from '../../../test/support.ts';
import {
  type Changing,
  changesBetween,
  holdChangesToTheRule,
} from '../../testing/limits-changes.ts';
import { MemoryJournal } from '../../testing/limits-journal.ts';
import { freshPrefix } from '../../testing/limits-redis.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import type { AdmissionJournal, Limiter } from './limiter.ts';
import { createMemoryLimiter } from './memory-limiter.ts';
import { createRedisLimiter } from './redis/shared-limiter.ts';

const HOUR_MS = 3_600_000;
const SILENT = { info() {}, warn() {} };
const OVER_DAYS = {
  seconds: [1, 60, 3_600, 86_400],
  waitsMs: [1, 400, 1_000, 30_000, 61_000, HOUR_MS, 13 * HOUR_MS, 25 * HOUR_MS],
  turns: 14,
};

/** Runs that each begin with nothing, on a clock of their own. */
async function restartable(
  open: (clock: Clock, journal: AdmissionJournal) => Promise<Limiter>,
): Promise<Changing & { close(): Promise<void> }> {
  const journal = new MemoryJournal();
  let clock = new ManualClock();
  let limiter = await open(clock, journal);
  const crashed: Limiter[] = [];
  return {
    nowMs: () => clock.now(),
    wait: async (ms) => clock.advance(ms),
    admit: async (window) => limiter.admit('7', 'overview/', window),
    async restart(how) {
      if (how === 'stop') await limiter.close();
      else crashed.push(limiter);
      clock = new ManualClock(clock.now());
      limiter = await open(clock, journal);
    },
    async close() {
      for (const one of [...crashed, limiter]) await one.close();
    },
  };
}

test('changed and changed back in memory, across restarts', async () => {
  await fc.assert(
    fc.asyncProperty(changesBetween(OVER_DAYS), async (steps) => {
      const limiter = await restartable((clock, journal) =>
        createMemoryLimiter({ clock, journal }),
      );
      await holdChangesToTheRule(limiter, steps);
      await limiter.close();
    }),
    { numRuns: 300 },
  );
});

test('the same while Redis is away from the start', async () => {
  const url = `redis://127.0.0.1:${await freePort()}`;
  await fc.assert(
    fc.asyncProperty(changesBetween(OVER_DAYS), async (steps) => {
      const limiter = await restartable((clock, journal) =>
        createRedisLimiter({
          ...{ url, prefix: 'bellhop-test', log: SILENT, journal },
          // Or it would try to connect a thousand times in each hour that the test lets pass.
          clock: { ...systemClock, now: () => clock.now(), monotonic: () => clock.monotonic() },
        }),
      );
      await holdChangesToTheRule(limiter, steps);
      await limiter.close();
    }),
    { numRuns: 100 },
  );
});

describeWithRedis('in Redis', (url) => {
  test('changed and changed back, across restarts', async () => {
    const changes = changesBetween({
      seconds: [0.01, 3_600],
      waitsMs: [1, 12],
      turns: 10,
    });
    await fc.assert(
      fc.asyncProperty(changes, async (steps) => {
        const prefix = freshPrefix();
        const nodes = [await openNode(prefix)];
        const limiter: Changing = {
          nowMs: () => performance.now(),
          wait: (ms) => (ms > 0 ? sleep(ms) : Promise.resolve()),
          admit: async (window) => (nodes.at(-1) as Limiter).admit('7', 'overview/', window),
          async restart(how) {
            if (how === 'stop') await nodes.pop()?.close();
            nodes.push(await openNode(prefix));
          },
        };
        await holdChangesToTheRule(limiter, steps).finally(async () => {
          for (const node of nodes) await node.close();
        });
      }),
      { numRuns: 40 },
    );
  });

  function openNode(prefix: string): Promise<Limiter> {
    return createRedisLimiter({ url, prefix, clock: systemClock, log: SILENT });
  }
});
