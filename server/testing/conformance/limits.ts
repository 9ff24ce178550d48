import { afterEach, describe, expect, test } from 'vitest';
import type { Limiter, Window } from '../../src/limiter/limiter.ts';

export interface Conforming {
  limiter: Limiter;
  /** Lets at least this much time pass for the limiter. */
  wait(ms: number): Promise<void>;
}

/** What any engine must do. `spanSeconds` is the window to use: as short as the clock allows. */
export function describeLimiter(
  name: string,
  spanSeconds: number,
  start: () => Promise<Conforming>,
): void {
  describe(`${name} as a limiter`, () => {
    const spanMs = spanSeconds * 1_000;
    const started: Limiter[] = [];
    afterEach(async () => {
      for (const limiter of started.splice(0)) await limiter.close();
    });

    async function setUp() {
      const { limiter, wait } = await start();
      started.push(limiter);
      return {
        limiter,
        wait,
        admit: async (requests: number, seconds = spanSeconds) =>
          limiter.admit('7', 'overview/', { requests, seconds }),
        standing: async (requests: number, seconds = spanSeconds) =>
          limiter.standing('7', 'overview/', { requests, seconds }),
      };
    }

    test('admits as many as the window holds, counting down, and then refuses', async () => {
      const { admit } = await setUp();
      const standings = [await admit(3), await admit(3), await admit(3), await admit(3)];
      expect(standings.map(({ admitted }) => admitted)).toEqual([true, true, true, false]);
      expect(standings.map(({ remaining }) => remaining)).toEqual([2, 1, 0, 0]);
      for (const { resetInMs } of standings) {
        expect(resetInMs).toBeGreaterThan(0);
        expect(resetInMs).toBeLessThanOrEqual(spanMs);
      }
    });

    test('reports the state of a limit without counting a call', async () => {
      const { admit, standing } = await setUp();
      expect(await standing(2)).toEqual({ admitted: true, remaining: 2, resetInMs: 0 });
      await admit(2);
      expect(await standing(2)).toMatchObject({ admitted: true, remaining: 1 });
      expect(await standing(2)).toMatchObject({ admitted: true, remaining: 1 });
      await admit(2);
      expect(await standing(2)).toMatchObject({ admitted: false, remaining: 0 });
    });

    test('reports several limits of a key at once, in the order of the question', async () => {
      const { limiter, admit } = await setUp();
      await admit(2);
      const windows = ['search/hp/', 'overview/', 'hotel/info/'].map((endpoint) => ({
        endpoint,
        window: { requests: 2, seconds: spanSeconds },
      }));
      const standings = await limiter.standings('7', windows);
      expect(standings.map(({ remaining }) => remaining)).toEqual([2, 1, 2]);
      expect(standings[1]).toMatchObject({ admitted: true });
    });

    test('admits a caller that waits as long as it was told, however often it tried before', async () => {
      const { admit, wait } = await setUp();
      await admit(1);
      for (let i = 0; i < 50; i++) expect((await admit(1)).admitted).toBe(false);
      await wait(spanMs / 2);
      const refused = await admit(1);
      expect(refused.admitted).toBe(false);
      expect(refused.resetInMs).toBeLessThanOrEqual(spanMs / 2);
      await wait(refused.resetInMs);
      expect((await admit(1)).admitted).toBe(true);
    });

    test('slides: each slot becomes free when its own request leaves the window', async () => {
      const { admit, standing, wait } = await setUp();
      await admit(3);
      await wait(spanMs / 2);
      await admit(3);
      await admit(3);
      const full = await standing(3);
      expect(full.remaining).toBe(0);
      await wait(full.resetInMs);
      expect((await standing(3)).remaining).toBe(1);
      expect((await admit(3)).admitted).toBe(true);
      expect((await admit(3)).admitted).toBe(false);
    });

    test('keeps keys and endpoints apart', async () => {
      const { limiter } = await setUp();
      const window: Window = { requests: 1, seconds: spanSeconds };
      expect((await limiter.admit('1', 'overview/', window)).admitted).toBe(true);
      expect((await limiter.admit('2', 'overview/', window)).admitted).toBe(true);
      expect((await limiter.admit('1', 'hotel/info/', window)).admitted).toBe(true);
      expect((await limiter.admit('1', 'overview/', window)).admitted).toBe(false);
    });

    test('admits exactly its number of many concurrent calls', async () => {
      const { admit } = await setUp();
      const standings = await Promise.all(Array.from({ length: 60 }, () => admit(25)));
      expect(standings.filter(({ admitted }) => admitted)).toHaveLength(25);
    });

    test('applies a lowered limit at once, and still counts everything when it is raised again', async () => {
      const { admit, standing } = await setUp();
      for (let i = 0; i < 12; i++) expect((await admit(12)).admitted).toBe(true);
      expect((await admit(3)).admitted).toBe(false);
      expect(await standing(3)).toMatchObject({ admitted: false, remaining: 0 });
      expect((await admit(12)).admitted).toBe(false);
      expect(await admit(13)).toMatchObject({ admitted: true, remaining: 0 });
      expect((await admit(13)).admitted).toBe(false);
    });

    test('says how long a lowered limit refuses calls', async () => {
      const { admit, wait } = await setUp();
      await admit(9);
      await wait(spanMs / 2);
      await admit(9);
      const refused = await admit(1);
      expect(refused.resetInMs).toBeGreaterThan(spanMs / 2);
      await wait(refused.resetInMs);
      expect((await admit(1)).admitted).toBe(true);
    });

    test('a longer window counts what a shorter one admitted', async () => {
      const { admit } = await setUp();
      await admit(2, spanSeconds);
      await admit(2, spanSeconds * 2);
      expect((await admit(2, spanSeconds * 2)).admitted).toBe(false);
      expect((await admit(2, spanSeconds)).admitted).toBe(false);
    });

    test('a limit that is changed and changed back still counts everything', async () => {
      const { admit, standing, wait } = await setUp();
      const long = spanSeconds * 60;
      for (let i = 0; i < 12; i++) expect((await admit(12, long)).admitted).toBe(true);
      await wait(spanMs);
      expect((await admit(2)).admitted).toBe(true);
      expect((await admit(2)).admitted).toBe(true);
      expect(await standing(12, long)).toMatchObject({ admitted: false, remaining: 0 });
      expect((await admit(12, long)).admitted).toBe(false);
    });

    test('a limit of 0 admits nothing', async () => {
      const { admit, standing } = await setUp();
      expect(await admit(0)).toEqual({ admitted: false, remaining: 0, resetInMs: spanMs });
      expect(await standing(0)).toMatchObject({ admitted: false, remaining: 0 });
    });

    test('reports no trouble', async () => {
      const { limiter } = await setUp();
      expect(limiter.trouble()).toBeUndefined();
    });
  });
}
