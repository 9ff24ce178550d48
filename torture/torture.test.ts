/** A short run; `npm run torture` is the long one. */
import { expect, test } from 'vitest';
import { describeWithOwnPostgres } from '../test/support.ts';
import type { Options } from './options.ts';
import { torture } from './torture.ts';

const SHORT: Options = {
  engine: 'sqlite',
  nodes: 1,
  rounds: 2,
  secondsPerRound: 2,
  // What is left by then is pending for all to see.
  drainSeconds: 3,
  // Kills and stops nodes, cuts one off, kills the database, and has nobody away for long.
  seed: 'e',
};
const TIMEOUT_MS = 120_000;

async function expectClean(options: Options): Promise<void> {
  const { ledger, figures } = await torture(options, () => {});
  expect(ledger.violations).toEqual([]);
  expect(ledger.faults.length).toBeGreaterThan(0);
  expect(figures.states.delivered).toBeGreaterThan(0);
}

test('every event outlives the kills of an embedded Bellhop', () => expectClean(SHORT), TIMEOUT_MS);

describeWithOwnPostgres('on PostgreSQL', () => {
  test(
    'every event outlives the kills of two nodes and of their database',
    () => expectClean({ ...SHORT, engine: 'postgres', nodes: 2 }),
    TIMEOUT_MS,
  );
});
