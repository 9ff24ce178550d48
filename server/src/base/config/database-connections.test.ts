import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  divideConnections,
  FEWEST_CONNECTIONS,
  MOST_CONNECTIONS,
  type ThreadWork,
  threadWorkOf,
  totalOf,
} from './database-connections.ts';
import { environmentSettings, roles } from './settings.ts';

const BOTH: ThreadWork[] = ['calls', 'services'];
const counts = fc.integer({ min: FEWEST_CONNECTIONS, max: 100 });
const worksOf = fc.constantFrom<ThreadWork[]>(BOTH, ['calls'], ['services']);

test('the default is at most 20 connections for a node with both environments', () => {
  const connections = Number(environmentSettings.databaseConnections.default);
  const { calls, services } = divideConnections(connections, BOTH);
  expect(calls).toEqual({ calls: 2, delivery: 0, leases: 0, general: 1, watch: 1 });
  expect(services).toEqual({ calls: 0, delivery: 2, leases: 1, general: 2, watch: 1 });
  expect(2 * (totalOf(calls) + totalOf(services))).toBe(20);
});

test.each(['docs/limits.md', 'docs/operating/poolers.md', 'docs/operating/README.md'])(
  '%s names the default',
  (file) => {
    const text = readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8');
    const { default: most } = environmentSettings.databaseConnections;
    const sentences = [`at most ${most} connections`, `up to ${most} connections`, `Of ${most}:`];
    expect(sentences.some((sentence) => text.includes(sentence))).toBe(true);
  },
);

test('docs/limits.md names the fewest and the most', () => {
  const text = readFileSync(new URL('../../../../docs/limits.md', import.meta.url), 'utf8');
  expect(text).toContain(`from ${FEWEST_CONNECTIONS} to ${MOST_CONNECTIONS}`);
});

test('a process never gets more than it may have, and each pool at least one', () => {
  fc.assert(
    fc.property(counts, worksOf, (connections, works) => {
      const sizes = divideConnections(connections, works);
      const total = works.reduce((sum, work) => sum + totalOf(sizes[work]), 0);
      expect(total).toBeLessThanOrEqual(connections);
      if (works.includes('calls')) expect(sizes.calls).toMatchObject({ general: 1, watch: 1 });
      const { delivery, general, leases, watch } = sizes.services;
      expect(Math.min(delivery, general, leases, watch)).toBeGreaterThanOrEqual(1);
      expect(sizes.calls.calls).toBeGreaterThanOrEqual(1);
    }),
  );
});

test('one connection more makes no pool smaller', () => {
  fc.assert(
    fc.property(counts, worksOf, (connections, works) => {
      const before = divideConnections(connections, works);
      const after = divideConnections(connections + 1, works);
      for (const work of works) {
        for (const [pool, size] of Object.entries(before[work])) {
          expect(after[work][pool as keyof (typeof after)[typeof work]]).toBeGreaterThanOrEqual(
            size,
          );
        }
      }
    }),
  );
});

test('every role is the work of a thread', () => {
  expect(threadWorkOf(roles)).toEqual(BOTH);
  expect(threadWorkOf(['partner-api'])).toEqual(['calls']);
  for (const role of roles.filter((one) => one !== 'partner-api')) {
    expect(threadWorkOf([role])).toEqual(['services']);
  }
});
