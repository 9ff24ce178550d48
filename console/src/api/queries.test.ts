import { expect, test } from 'vitest';
import type { EnvironmentCall } from './client.ts';
import { queriesOf } from './queries.ts';

/** Keys are made without a call. */
const call: EnvironmentCall = () => Promise.reject();

test('every key starts with the environment, so environments never share data', () => {
  for (const environment of ['production', 'sandbox'] as const) {
    for (const [name, make] of Object.entries(queriesOf(environment, call))) {
      const { queryKey } = (make as (...args: unknown[]) => { queryKey: readonly unknown[] })(
        'partners',
        'y',
      );
      expect([name, queryKey[0]]).toEqual([name, environment]);
    }
  }
});

test('two queries never share a key', () => {
  const keys = Object.entries(queriesOf('production', call))
    // These read the same record on purpose.
    .filter(([name]) => name !== 'named')
    .map(
      ([, make]) =>
        (make as (...args: unknown[]) => { queryKey: readonly unknown[] })('partners', 'y')
          .queryKey,
    );
  expect(new Set(keys.map((key) => JSON.stringify(key))).size).toBe(keys.length);
});
