import { expect, test } from 'vitest';
import { queriesOf } from './queries.ts';
import type { SupportApi } from './support-api.ts';

/** Keys are made without a call, so the client needs no working parts. */
const api = {
  partners: {},
  keys: {},
  midoffices: {},
  deliveries: {},
} as unknown as SupportApi;

test('every key starts with the environment, so environments never share data', () => {
  for (const environment of ['production', 'sandbox'] as const) {
    for (const [name, make] of Object.entries(queriesOf(environment, api))) {
      const { queryKey } = (make as (...args: unknown[]) => { queryKey: readonly unknown[] })(
        'x',
        'y',
      );
      expect([name, queryKey[0]]).toEqual([name, environment]);
    }
  }
});

test('two queries never share a key', () => {
  const keys = Object.entries(queriesOf('production', api))
    // These read the same record on purpose.
    .filter(([name]) => name !== 'named')
    .map(
      ([, make]) =>
        (make as (...args: unknown[]) => { queryKey: readonly unknown[] })('x', 'y').queryKey,
    );
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
});
