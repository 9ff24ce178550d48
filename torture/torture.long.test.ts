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
  // Whatever is left then is visibly pending.
  drainSeconds: 3,
  // Kills and stops nodes, cuts one off and kills the database, but none of them for long.
  seed: 'e',
};
const TIMEOUT_MS = 120_000;

async function expectClean(options: Options): Promise<void> {
  const { ledger, figures } = await torture(options, () => {});
  expect(ledger.violations).toEqual([]);
  expect(ledger.faults.length).toBeGreaterThan(0);
  expect(figures.states.delivered).toBeGreaterThan(0);
}

test('no event is lost when an embedded Bellhop is killed', () => expectClean(SHORT), TIMEOUT_MS);

describeWithOwnPostgres('on PostgreSQL', () => {
  test(
    'no event is lost when two nodes and their database are killed',
    () => expectClean({ ...SHORT, engine: 'postgres', nodes: 2 }),
    TIMEOUT_MS,
  );
});
