import { randomUUID } from 'node:crypto';
import { createClient } from '@redis/client';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithRedis } from '../../../../test/support.ts';
import { Ring } from '../ring.ts';
import { MERGE } from './merge-script.ts';
import { ADMIT, ID_LENGTH, WINDOW_LOST } from './scripts.ts';

/**
 * On the test's clock, in seconds: long enough for Redis not to let a merged ring expire meanwhile.
 * The ring in memory has four slots at least, so it may still count what a smaller window let go.
 */
const WINDOWS = [
  { requests: 5, span: 10 },
  { requests: 4, span: 25 },
  { requests: 20, span: 10 },
  { requests: 40, span: 100 },
];

const MICROS = 1_000_000;
const MILLIS = 1_000;

const step = fc.record({
  passes: fc.oneof(fc.nat(3), fc.nat(30), fc.nat(300)),
  window: fc.nat(WINDOWS.length - 1),
  checks: fc.array(fc.constantFrom('admit', 'admit', 'admit', 'look'), {
    minLength: 1,
    maxLength: 30,
  }),
});

interface Check {
  admitted: boolean;
  remaining: number;
  reset: number;
}

describeWithRedis('the windows in Redis', (url) => {
  /** The scripts, on a clock that the test sets; what an admission lets expire goes by it too. */
  async function open() {
    const client = createClient({ url });
    await client.connect();
    const [key, nodes, told] = [randomUUID(), randomUUID(), randomUUID()];
    onTestFinished(async () => {
      await client.del([key, nodes, told]);
      client.destroy();
    });
    await client.hSet(nodes, 'node', '1');
    let expiresAtSeconds = Number.POSITIVE_INFINITY;
    let ids = 0;
    const newId = () => String(++ids).padEnd(ID_LENGTH);
    const at = (source: string, nowSeconds: number) =>
      source.replace(/(redis\.)?call\('TIME'\)/, `{ ${nowSeconds}, 0 }`);
    return {
      newId,
      async clear() {
        await client.del(key);
        expiresAtSeconds = Number.POSITIVE_INFINITY;
      },
      expired: (nowSeconds: number) => expiresAtSeconds <= nowSeconds,
      async admit(
        nowSeconds: number,
        window: { requests: number; span: number },
        checkIds: readonly string[],
        generation = '',
      ): Promise<{ generation: string; checks: Check[] } | 'lost'> {
        const args = [window.requests, window.span * MICROS, generation, 0, checkIds.length].map(
          String,
        );
        const source = ADMIT.source.replace("'PEXPIRE', key,", "'SET', key .. 'kept',");
        const reply = (await client.eval(at(source, nowSeconds), {
          keys: [nodes, told, key],
          arguments: ['node', ...args, ...checkIds],
        })) as (number | string)[];
        const keptMs = await client.getDel(`${key}kept`);
        if (keptMs !== null) expiresAtSeconds = nowSeconds + Number(keptMs) / MILLIS;
        const [first, ...rest] = reply;
        if (first === WINDOW_LOST) return 'lost';
        const checks = checkIds.map((_, n) => ({
          admitted: rest[n * 3] === 1,
          remaining: rest[n * 3 + 1] as number,
          reset: (rest[n * 3 + 2] as number) / MICROS,
        }));
        return { generation: first as string, checks };
      },
      async merge(
        nowSeconds: number,
        window: { requests: number; span: number },
        admissions: readonly { age: number; id: string }[],
        expected = '',
      ): Promise<string> {
        const args = [window.requests, window.span * MICROS, 0, 0, 0].map(String);
        const given = admissions.flatMap(({ age, id }) => [String(age * MICROS), id]);
        return String(
          await client.eval(at(MERGE.source, nowSeconds), {
            keys: [key, told],
            arguments: [expected, newId(), String(60 * MICROS), ...args, ...given],
          }),
        );
      },
    };
  }

  test('decide as the ring in memory does, whatever is asked and however limits change', async () => {
    const redis = await open();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async (steps) => {
        await redis.clear();
        let ring = new Ring();
        let nowSeconds = 1_000;
        for (const { passes, window: n, checks } of steps) {
          nowSeconds += passes;
          if (redis.expired(nowSeconds)) {
            expect(ring.idle(nowSeconds)).toBe(true);
            await redis.clear();
            ring = new Ring();
          }
          const window = WINDOWS[n] as (typeof WINDOWS)[number];
          const ids = checks.map((check) => (check === 'admit' ? redis.newId() : ''));
          const said = await redis.admit(nowSeconds, window, ids);
          const expected = checks.map((check) => {
            ring.use(nowSeconds, window.requests, window.span);
            const { admitted } = ring.standing(nowSeconds, window.requests, window.span);
            if (check === 'admit') ring.admitInForce(nowSeconds);
            const after = ring.standing(nowSeconds, window.requests, window.span);
            return { admitted, remaining: after.remaining, reset: after.resetInMs };
          });
          expect(said).toMatchObject({ checks: expected });
        }
      }),
      { numRuns: 200 },
    );
  });

  test('count what is merged once, in its place in time', async () => {
    const redis = await open();
    const window = { requests: 40, span: 100 };
    const age = fc.nat(120);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ age, again: fc.boolean() }), { maxLength: 60 }),
        fc.nat(20),
        async (alone, shared) => {
          await redis.clear();
          const nowSeconds = 10_000;
          const ids = Array.from({ length: shared }, redis.newId);
          const first = await redis.admit(nowSeconds - 50, window, ids);
          const merged = alone.map((one) => ({ ...one, id: redis.newId() }));
          const known = ids.map((id) => ({ age: 7, id }));
          const generation = await redis.merge(nowSeconds, window, [...merged, ...known]);
          await redis.merge(
            nowSeconds,
            window,
            merged.filter(({ again }) => again),
          );
          const instants = [
            ...merged.map((one) => nowSeconds - one.age),
            ...ids.map(() => nowSeconds - 50),
          ]
            .sort((a, b) => a - b)
            .slice(-window.requests);
          const inside = instants.filter((at) => at + window.span > nowSeconds);
          // Redis may have dropped a ring of which nothing counts any more.
          const expected = inside.length ? generation : '';
          const said = await redis.admit(nowSeconds, window, [''], expected);
          if (shared > 0) expect(first).toMatchObject({ generation });
          expect(said).toMatchObject({
            checks: [
              {
                admitted: inside.length < window.requests,
                remaining: window.requests - inside.length,
                reset: inside.length ? (inside[0] as number) + window.span - nowSeconds : 0,
              },
            ],
          });
        },
      ),
      { numRuns: 150 },
    );
  });

  test('count what is merged into a large ring once, in its place in time', async () => {
    const redis = await open();
    const window = { requests: 60_000, span: 3_600 };
    const startSeconds = 10_000;
    const instants: number[] = [];
    let generation = '';
    for (let batch = 0; batch < 12; batch++) {
      const atSeconds = startSeconds + batch * 60;
      const ids = Array.from({ length: 4_000 }, redis.newId);
      const said = await redis.admit(atSeconds, window, ids, generation);
      if (said === 'lost') throw new Error('Redis has lost the ring.');
      ({ generation } = said);
      instants.push(...ids.map(() => atSeconds));
      // Told again, as after a lost answer, together with some from before, and with one twice.
      const nowSeconds = atSeconds + 3;
      const again = ids.slice(0, 300).map((id) => ({ age: 3.5, id }));
      const fresh = [1, 40, 100, 100].map((age) => ({ age, id: redis.newId() }));
      const merged = [...again, ...fresh, ...fresh.slice(0, 1)];
      expect(await redis.merge(nowSeconds, window, merged, generation)).toBe(generation);
      instants.push(...fresh.map(({ age }) => nowSeconds - age));
    }
    const expected = instants.sort((a, b) => a - b);
    for (const nowSeconds of [12_000, 13_650, 13_760, 14_020]) {
      const inside = expected.filter((at) => at + window.span > nowSeconds);
      expect(await redis.admit(nowSeconds, window, [''], generation)).toMatchObject({
        checks: [
          {
            remaining: window.requests - inside.length,
            reset: (inside[0] as number) + window.span - nowSeconds,
          },
        ],
      });
    }
  });

  test('merge nothing into a ring of another generation', async () => {
    const redis = await open();
    const window = { requests: 3, span: 100 };
    const merged = [{ age: 1, id: redis.newId() }];
    expect(await redis.merge(1_000, window, merged, redis.newId())).toBe(String(WINDOW_LOST));
    const generation = await redis.merge(1_000, window, merged);
    expect(await redis.merge(1_000, window, merged, redis.newId())).toBe(String(WINDOW_LOST));
    expect(await redis.admit(1_000, window, [''], generation)).toMatchObject({
      checks: [{ remaining: 2 }],
    });
  });

  test('say that a window is lost to a node that knows another generation', async () => {
    const redis = await open();
    const window = { requests: 3, span: 1 };
    const id = redis.newId();
    const first = await redis.admit(1_000, window, [id]);
    expect(first).toMatchObject({ generation: id });
    expect(await redis.admit(1_000, window, [redis.newId()], id)).toMatchObject({ generation: id });
    expect(await redis.admit(1_000, window, [redis.newId()], redis.newId())).toBe('lost');
    await redis.clear();
    expect(await redis.admit(1_000, window, [redis.newId()], id)).toBe('lost');
  });
});
