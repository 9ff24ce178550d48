/** The pacer against the real limiter, in virtual time: no call is refused, and the limit is fully used. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  callsOf,
  entry,
  HP,
  OVERVIEW,
  type PacedService,
  pacedService,
  refusals,
} from '../testing/paced-service.ts';

const overview = entry(OVERVIEW, 100, 86_400);
/** What the pacer adds to a window to allow for a slow clock. */
const MARGIN_MS = 10;

function callMany({ pacer }: PacedService, count: number, endpoint = HP): Promise<number[]> {
  return Promise.all(
    Array.from({ length: count }, async () => (await pacer.call(endpoint)).status),
  );
}

describe('a key that only the pacer uses', () => {
  test('never gets a 429, and loses at most one round trip per window', async () => {
    const delay = fc.integer({ min: 0, max: 3_000 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 120 }),
        fc.array(fc.tuple(delay, delay), { minLength: 1, maxLength: 20 }),
        async (requests, seconds, count, delays) => {
          let nth = 0;
          const next = () => delays[nth++ % delays.length] as [number, number];
          const service = await pacedService([overview, entry(HP, requests, seconds)], next);
          const elapsedMs = await service.until(callMany(service, count));
          expect(refusals(service)).toBe(0);
          expect(callsOf(service, HP)).toBe(count);
          const roundTripMs = Math.max(...delays.map(([there, back]) => there + back));
          const windows = Math.ceil(count / requests) - 1;
          // The overview takes a round trip, and so does the first call, which goes out alone.
          expect(elapsedMs).toBeLessThanOrEqual(
            windows * (seconds * 1_000 + MARGIN_MS + roundTripMs) + 3 * roundTripMs,
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  test("a very late reply is not mistaken for other callers' use", async () => {
    let replyMs = 3;
    const service = await pacedService([overview, entry(HP, 10, 1)], () => [0, replyMs]);
    await service.until(callMany(service, 9));
    replyMs = 5_000;
    const slow = service.pacer.call(HP);
    await service.pass(1);
    replyMs = 3;
    await service.until(slow);
    expect(await service.until(callMany(service, 9))).toBeLessThan(100);
  });

  test('an endpoint without a limit delays no call', async () => {
    const service = await pacedService([overview, { ...entry(HP, 30, 60), is_limited: false }]);
    expect(await service.until(callMany(service, 500))).toBeLessThan(100);
  });

  test('calls that are refused before the limit check do not count', async () => {
    const service = await pacedService([overview]);
    expect(await service.until(callMany(service, 3, 'api/b2b/v3/search/none/'))).toBeLessThan(100);
    service.entries.set(HP, entry(HP, 2, 60));
    await service.until(service.pacer.refresh());
    expect(await service.until(callMany(service, 2))).toBeLessThan(100);
  });
});

describe('a key that others also use', () => {
  test('calls made before the pacer started are taken into account', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 12 }),
        fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 40 }),
        async (requests, gaps, count) => {
          const service = await pacedService([overview, entry(HP, requests, 10)]);
          for (const gap of gaps) {
            await service.useElsewhere(HP);
            await service.pass(gap);
          }
          const elapsedMs = await service.until(callMany(service, count));
          // The first call cannot know; if the window is full, only that call is refused.
          expect(refusals(service)).toBeLessThanOrEqual(1);
          const windows = Math.ceil(count / requests);
          expect(elapsedMs).toBeLessThan(windows * 10_100 + 2_100);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('waits the remaining 4 hours of a daily limit that was used up 20 hours ago', async () => {
    const service = await pacedService([overview, entry(HP, 100, 86_400)]);
    for (let i = 0; i < 99; i++) await service.useElsewhere(HP);
    await service.pass(20 * 3_600_000);
    const elapsedMs = await service.until(callMany(service, 60));
    expect(refusals(service)).toBe(0);
    expect(elapsedMs).toBeLessThan(4 * 3_600_000 + 5_000);
  });

  test('waits after a refusal that others caused, and tries again', async () => {
    const service = await pacedService([overview, entry(HP, 10, 10)]);
    await service.until(callMany(service, 1));
    for (let i = 0; i < 9; i++) await service.useElsewhere(HP);
    const statuses = callMany(service, 30);
    expect(await service.until(statuses)).toBeLessThan(50_000);
    expect(await statuses).toEqual(Array(30).fill(200));
  });
});

describe('limits that change', () => {
  async function changed(change: Partial<ReturnType<typeof entry>>): Promise<PacedService> {
    const service = await pacedService([overview, entry(HP, 10, 10)]);
    await service.until(callMany(service, 5));
    service.entries.set(HP, { ...entry(HP, 10, 10), ...change });
    await service.until(callMany(service, 6));
    await service.pass(11_000);
    return service;
  }

  test('raised: the next reply shows it, and the overview is read once', async () => {
    const service = await changed({ requests_number: 50 });
    expect(await service.until(callMany(service, 50))).toBeLessThan(100);
    expect(refusals(service)).toBe(0);
    expect(callsOf(service, OVERVIEW)).toBe(2);
    const limits = await service.pacer.limits();
    expect(limits.find(({ endpoint }) => endpoint === HP)?.requests_number).toBe(50);
  });

  test('lowered: respected as soon as it is known', async () => {
    const service = await changed({ requests_number: 2 });
    const before = refusals(service);
    await service.until(callMany(service, 9));
    expect(refusals(service)).toBe(before);
  });

  test('removed: no longer applied', async () => {
    const service = await changed({ is_limited: false });
    expect(await service.until(callMany(service, 200))).toBeLessThan(100);
    expect(callsOf(service, OVERVIEW)).toBe(2);
  });

  test('an overview that never confirms the replies is not read again and again', async () => {
    const service = await pacedService([overview, entry(HP, 10, 10)]);
    await service.until(service.pacer.limits());
    const shown = { ...entry(HP, 10, 10) };
    service.entries.set(HP, entry(HP, 20, 10));
    service.entries.set('shown', shown);
    Object.defineProperty(service.entries, 'values', { value: () => [overview, shown] });
    await service.until(callMany(service, 100));
    expect(callsOf(service, OVERVIEW)).toBe(2);
  });
});

describe('the overview', () => {
  test("used up for the day: an endpoint's first reply shows its limit", async () => {
    const service = await pacedService([entry(OVERVIEW, 1, 86_400), entry(HP, 5, 10)]);
    await service.useElsewhere(OVERVIEW);
    expect(await service.until(callMany(service, 15))).toBeLessThan(21_000);
    expect(callsOf(service, OVERVIEW)).toBe(1);
    expect(service.answered.filter(({ address }) => address === HP)).toEqual(
      Array(15).fill({ address: HP, status: 200 }),
    );
  });

  test('is read once an hour, and no call fails if it cannot be read', async () => {
    const service = await pacedService([overview, entry(HP, 5, 10)]);
    await service.until(callMany(service, 1));
    await service.pass(3_600_000);
    service.entries.delete(OVERVIEW);
    const statuses = callMany(service, 2);
    await service.until(statuses);
    expect(await statuses).toEqual([200, 200]);
    expect(callsOf(service, OVERVIEW)).toBe(2);
    await service.until(callMany(service, 2));
    expect(callsOf(service, OVERVIEW)).toBe(2);
  });
});

describe('a call', () => {
  test('keeps its query, and counts towards its endpoint', async () => {
    const service = await pacedService([overview, entry(HP, 1, 10)]);
    const calls = [service.pacer.call(`/${HP}?page=1`), service.pacer.call(`${HP.slice(0, -1)}?a`)];
    await service.until(Promise.all(calls));
    expect(refusals(service)).toBe(0);
    expect(service.answered.map(({ address }) => address)).toEqual([
      OVERVIEW,
      `${HP}?page=1`,
      `${HP}?a`,
    ]);
  });

  test('that is aborted while it waits ends at once and uses no turn', async () => {
    const service = await pacedService([overview, entry(HP, 1, 10)]);
    await service.until(callMany(service, 1));
    const leaving = new AbortController();
    const first = service.pacer.call(HP);
    const second = service.pacer.call(HP, { signal: leaving.signal });
    const third = service.pacer.call(HP);
    await service.pass(1_000);
    leaving.abort(new Error('changed my mind'));
    await expect(second).rejects.toThrow('changed my mind');
    expect(await service.until(Promise.all([first, third]))).toBeLessThan(20_000);
    expect(callsOf(service, HP)).toBe(3);
  });

  test('with a stream as its body gets the 429, because the stream cannot be sent again', async () => {
    const service = await pacedService([overview, entry(HP, 1, 10)]);
    await service.useElsewhere(HP);
    const call = service.pacer.call(HP, { method: 'POST', body: new Blob(['x']).stream() });
    await service.until(call);
    expect((await call).status).toBe(429);
  });
});

test('waits for a window of 31 days in steps short enough for a timer', async () => {
  const service = await pacedService([overview, entry(HP, 1, 2_678_400)]);
  await service.until(callMany(service, 1));
  const days = (await service.until(service.pacer.call(HP))) / 86_400_000;
  expect(days).toBeCloseTo(31, 1);
  expect(Math.max(...service.sleepsMs)).toBeLessThan(2 ** 31);
  expect(refusals(service)).toBe(0);
});
