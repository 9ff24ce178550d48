import fc from 'fast-check';
import { expect, test } from 'vitest';
import { memoryTokenStore } from './token-store.ts';

test('keeps a token until it expires', () => {
  let nowMs = 0;
  const store = memoryTokenStore({ now: () => nowMs });
  expect(store.remember('a', 10)).toBe(true);
  nowMs = 10_000;
  expect(store.remember('a', 20)).toBe(false);
  nowMs = 10_001;
  expect(store.remember('a', 20)).toBe(true);
  expect(store.remember('a', 20)).toBe(false);
});

test('drops the oldest tokens above its bound', () => {
  const store = memoryTokenStore({ maxTokens: 2 });
  for (const token of ['a', 'b', 'c']) expect(store.remember(token, Infinity)).toBe(true);
  expect(store.remember('b', Infinity)).toBe(false);
  expect(store.remember('c', Infinity)).toBe(false);
  expect(store.remember('a', Infinity)).toBe(true);
});

test('an expired token behind a longer-lived one counts as new', () => {
  let nowMs = 0;
  const store = memoryTokenStore({ now: () => nowMs });
  store.remember('long', 100);
  store.remember('short', 1);
  nowMs = 2_000;
  expect(store.remember('short', 5)).toBe(true);
  expect(store.remember('long', 100)).toBe(false);
});

test('refuses options with which it would keep nothing', () => {
  expect(() => memoryTokenStore({ maxTokens: 0 })).toThrow('maxTokens');
  expect(() => memoryTokenStore({ maxTokens: Number.NaN })).toThrow('maxTokens');
});

test('stays within its bound and drops expired tokens, for any input', () => {
  const moves = fc.array(fc.tuple(fc.nat(30), fc.integer({ min: 1, max: 20 }), fc.nat(3)));
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), moves, (maxTokens, steps) => {
      let nowSeconds = 0;
      const store = memoryTokenStore({ maxTokens, now: () => nowSeconds * 1_000 });
      /** Those that must be known: the newest, not yet expired. */
      let kept: { token: string; until: number }[] = [];
      for (const [name, lasts, passes] of steps) {
        nowSeconds += passes;
        const token = String(name);
        const until = nowSeconds + lasts;
        const isKnown = kept.some((one) => one.token === token && one.until >= nowSeconds);
        const isNew = store.remember(token, until);
        if (isKnown) expect(isNew).toBe(false);
        if (!isNew) expect(kept.map((one) => one.token)).toContain(token);
        if (isNew) {
          kept = [...kept.filter((one) => one.token !== token), { token, until }].slice(-maxTokens);
        }
      }
    }),
  );
});
