import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { MemoryJournal } from '../../testing/limits-journal.ts';
import { ManualClock } from '../../testing/manual-clock.ts';
import type { Limiter, Window } from './limiter.ts';
import { createMemoryLimiter } from './memory-limiter.ts';

const DAY: Window = { requests: 5, seconds: 86_400 };
const MINUTE: Window = { requests: 5, seconds: 60 };

describe('what outlives the process', () => {
  let clock: ManualClock;
  let journal: MemoryJournal;
  let limiter: Limiter;

  /** A new process on the same database; the one before is not asked, as in a crash. */
  async function restart(): Promise<void> {
    clock = new ManualClock(clock.now());
    limiter = await createMemoryLimiter({ clock, journal });
  }

  async function admit(window: Window, keyId = '7') {
    return limiter.admit(keyId, 'overview/', window);
  }

  function remaining(window: Window, keyId = '7') {
    return limiter.standing(keyId, 'overview/', window);
  }

  beforeEach(async () => {
    clock = new ManualClock();
    journal = new MemoryJournal();
    await restart();
  });

  test('admissions to a long window, exactly, whenever the crash comes', async () => {
    const waitsMs = fc.array(fc.integer({ min: 0, max: 20_000_000 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(waitsMs, async (waits) => {
        journal = new MemoryJournal();
        const otherClock = new ManualClock();
        const uninterrupted = await createMemoryLimiter({ clock: otherClock });
        for (const waitMs of waits) {
          otherClock.advance(waitMs);
          clock.advance(waitMs);
          await restart();
          expect(remaining(DAY)).toEqual(uninterrupted.standing('7', 'overview/', DAY));
          expect(await admit(DAY)).toEqual(uninterrupted.admit('7', 'overview/', DAY));
        }
      }),
    );
  });

  test('what a journal has lost, once the limiter is told', async () => {
    for (let i = 0; i < 4; i++) await admit(DAY);
    const before = await remaining(DAY);
    journal.appends.splice(2);
    limiter.journalLost?.(0);
    clock.advance(1_000);
    await nextTurn();
    clock.advance(-1_000);
    await restart();
    expect(remaining(DAY)).toMatchObject({ remaining: before.remaining });
  });

  test('admissions to a short window only if the stop was orderly', async () => {
    await admit(MINUTE);
    clock.advance(10_000);
    await admit(MINUTE);
    const before = remaining(MINUTE);
    await limiter.close();
    await restart();
    expect(remaining(MINUTE)).toEqual(before);

    await admit(MINUTE);
    await restart();
    expect(remaining(MINUTE)).toEqual(before);
  });

  test('nothing that had left its window by then', async () => {
    await admit(MINUTE);
    clock.advance(59_000);
    await admit(MINUTE);
    clock.advance(1_000);
    await limiter.close();
    expect(journal.admissions).toHaveLength(1);
  });

  test('what a window admitted before it became long, with the next admission', async () => {
    await admit(MINUTE);
    await admit(MINUTE);
    expect(journal.admissions).toHaveLength(0);
    await admit(DAY);
    expect(journal.admissions).toHaveLength(3);
    await limiter.close();
    expect(journal.admissions).toHaveLength(3);
    await restart();
    expect(remaining(DAY)).toMatchObject({ remaining: 2 });
  });

  describe('when a window is made longer', () => {
    const TWO_SECONDS: Window = { requests: 5, seconds: 2 };
    const HOUR: Window = { requests: 5, seconds: 3_600 };

    async function useUp(window: Window) {
      for (let n = 0; n < 5; n++) expect((await admit(window)).admitted).toBe(true);
    }

    test('what it counts then is not dropped while nobody calls', async () => {
      await useUp(TWO_SECONDS);
      clock.advance(1_500);
      expect(remaining(HOUR)).toMatchObject({ remaining: 0 });
      for (let minute = 0; minute < 30; minute++) {
        clock.advance(60_000);
        await nextTurn();
      }
      expect((await admit(HOUR)).admitted).toBe(false);
    });

    test('a refusal under it outlives a crash', async () => {
      await useUp(MINUTE);
      expect((await admit(DAY)).admitted).toBe(false);
      await restart();
      expect(remaining(DAY)).toMatchObject({ remaining: 0 });
      expect((await admit(DAY)).admitted).toBe(false);
    });

    test('so does what had left the shorter one by an orderly stop', async () => {
      await useUp(TWO_SECONDS);
      clock.advance(2_300);
      expect(remaining(HOUR)).toMatchObject({ remaining: 0 });
      await limiter.close();
      await restart();
      expect(remaining(HOUR)).toMatchObject({ remaining: 0 });
    });

    test('what the journal had is kept for the longer one, and counted once', async () => {
      await useUp(HOUR);
      clock.advance(3_000_000);
      await admit(DAY);
      await restart();
      clock.advance(3_000_000);
      await restart();
      expect(remaining(DAY)).toMatchObject({ remaining: 0 });
      const six: Window = { requests: 6, seconds: 86_400 };
      expect((await admit(six)).admitted).toBe(true);
      await restart();
      expect(remaining({ requests: 10, seconds: 86_400 })).toMatchObject({ remaining: 4 });
    });

    test('a failed append is made good, and still counted once', async () => {
      await useUp(HOUR);
      journal.failure = new Error('disk full');
      await expect(admit(DAY)).rejects.toThrow('disk full');
      journal.failure = undefined;
      expect((await admit(DAY)).admitted).toBe(false);
      await restart();
      expect(remaining({ requests: 10, seconds: 86_400 })).toMatchObject({ remaining: 5 });
    });
  });

  test('an admission from a clock that was ahead counts as made just now', async () => {
    clock.setWallClock(clock.now() + 7 * 86_400_000);
    await admit(DAY);
    clock.setWallClock(clock.now() - 7 * 86_400_000);
    await restart();
    expect(remaining(DAY)).toEqual({ admitted: true, remaining: 4, resetInMs: 86_400_000 });
  });
});

describe('group commit', () => {
  let clock: ManualClock;
  let journal: MemoryJournal;
  let limiter: Limiter;

  beforeEach(async () => {
    clock = new ManualClock();
    journal = new MemoryJournal();
    limiter = await createMemoryLimiter({ clock, journal });
  });

  function admit(keyId: number | string) {
    return Promise.resolve(limiter.admit(String(keyId), 'overview/', DAY));
  }

  test('one turn of the event loop makes one append', async () => {
    await Promise.all(Array.from({ length: 100 }, (_, keyId) => admit(keyId % 50)));
    expect(journal.appends.map(({ length }) => length)).toEqual([100]);
    expect(journal.admissions[0]).toEqual({
      keyId: '0',
      endpoint: 'overview/',
      atMs: clock.now(),
      keepUntilMs: clock.now() + 86_400_000,
      window: { requests: 5, spanMs: 86_400_000 },
    });
  });

  test('what comes during an append makes the next one, and waits for it', async () => {
    const release = journal.hold();
    const answered: string[] = [];
    const answers = [admit('a').then(() => answered.push('a'))];
    await nextTurn();
    for (const key of ['a', 'b', 'c']) answers.push(admit(key).then(() => answered.push(key)));
    await nextTurn();
    expect(answered).toEqual([]);
    release();
    await Promise.all(answers);
    expect(journal.appends.map((batch) => batch.map(({ keyId }) => keyId))).toEqual([
      ['a'],
      ['a', 'b', 'c'],
    ]);
  });

  test('a refusal waits for nothing', async () => {
    const release = journal.hold();
    const answers = Array.from({ length: 5 }, () => admit('a'));
    expect(limiter.admit('a', 'overview/', DAY)).toMatchObject({ admitted: false });
    release();
    await Promise.all(answers);
  });

  test('a failed append reaches its callers, stays counted, and is made good once', async () => {
    journal.failure = new Error('disk full');
    await expect(admit('a')).rejects.toThrow('disk full');
    expect(limiter.standing('a', 'overview/', DAY)).toMatchObject({ remaining: 4 });
    expect(limiter.trouble()).toBe("Admissions to long windows can't be saved: disk full.");

    journal.failure = undefined;
    clock.advance(1_000);
    await admit('a');
    expect(limiter.trouble()).toBeUndefined();
    expect(journal.admissions.map(({ atMs }) => clock.now() - atMs)).toEqual([1_000, 0]);
    await limiter.close();
    expect(journal.admissions).toHaveLength(2);
  });

  test('an orderly stop waits for what is being appended', async () => {
    const release = journal.hold();
    const answer = admit('a');
    await nextTurn();
    const later = admit('b');
    const closed = limiter.close();
    release();
    await closed;
    expect(journal.admissions.map(({ keyId }) => keyId)).toEqual(['a', 'b']);
    await Promise.all([answer, later]);
  });

  test('a failed append is made good by itself, and the trouble with it', async () => {
    journal.failure = new Error('disk full');
    await expect(admit('a')).rejects.toThrow('disk full');
    clock.advance(1_000);
    await nextTurn();
    await nextTurn();
    expect(limiter.trouble()).toContain('disk full');
    journal.failure = undefined;
    clock.advance(1_000);
    await nextTurn();
    await nextTurn();
    expect(limiter.trouble()).toBeUndefined();
    expect(journal.admissions).toHaveLength(1);
  });

  test('however many fail together, they are tried again once a second and in parts', async () => {
    journal.failure = new Error('disk full');
    const keys = Array.from({ length: 6_000 }, (_, n) => n);
    const failed = await Promise.allSettled(keys.map(admit));
    expect(new Set(failed.map(({ status }) => status))).toEqual(new Set(['rejected']));
    // The loop turns on meanwhile, and a call that fails now does not take the others along.
    for (let turn = 0; turn < 20; turn++) await nextTurn();
    const asked = journal.asked;
    await expect(admit('another')).rejects.toThrow('disk full');
    expect(journal.asked - asked).toBe(1);
    journal.failure = undefined;
    clock.advance(1_000);
    await expect.poll(() => limiter.trouble()).toBeUndefined();
    expect(journal.admissions).toHaveLength(6_001);
    expect(Math.max(...journal.appends.map(({ length }) => length))).toBeLessThanOrEqual(5_000);
  });

  test('what was written although it seemed to fail is not counted twice', async () => {
    journal.failsAfterWriting = new Error('no answer in time');
    await expect(admit('a')).rejects.toThrow('no answer in time');
    clock.advance(1_000);
    await expect.poll(() => limiter.trouble()).toBeUndefined();
    expect(journal.admissions.length).toBeGreaterThan(1);
    const next = await createMemoryLimiter({ clock: new ManualClock(clock.now()), journal });
    expect(await next.standing('a', 'overview/', DAY)).toMatchObject({ remaining: 4 });
  });

  test('the journal is pruned every ten minutes, and soon again after a failure', async () => {
    clock.advance(600_000);
    await nextTurn();
    expect(journal.prunedAtMs).toEqual([clock.now()]);

    journal.failure = new Error('locked');
    clock.advance(600_000);
    await nextTurn();
    expect(limiter.trouble()).toBe("Old admissions can't be removed from the database: locked.");

    clock.advance(5_000);
    await nextTurn();
    journal.failure = undefined;
    clock.advance(5_000);
    await nextTurn();
    expect(journal.prunedAtMs).toHaveLength(2);
    expect(limiter.trouble()).toBeUndefined();
    clock.advance(5_000);
    await nextTurn();
    expect(journal.prunedAtMs).toHaveLength(2);
  });
});
