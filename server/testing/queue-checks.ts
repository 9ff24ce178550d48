/** Invariants of the queue whenever nothing is being written. */
import { expect } from 'vitest';
import type { Store } from '../src/store/store.ts';
import type { QueueOwner } from './queue-owner.ts';

/** More than any wait that tests put into the queue. */
const LONG_MS = 86_400_000;
const MOST_ROUNDS = 200;

/**
 * For one midoffice: each delivery is in one state, none is parked behind nothing, and attempts are numbered
 * without gaps.
 */
export async function expectConsistent({ db }: Pick<Store, 'db'>, midofficeId: string) {
  const pending = await db
    .selectFrom('pending')
    .selectAll()
    .where('midoffice_id', '=', midofficeId)
    .orderBy('seq')
    .execute();
  const givenUp = await db
    .selectFrom('given_up')
    .select('seq')
    .where('midoffice_id', '=', midofficeId)
    .execute();
  const attempts = await db
    .selectFrom('attempt')
    .innerJoin('delivery', 'delivery.seq', 'attempt.delivery_seq')
    .select(['attempt.delivery_seq', 'attempt.number'])
    .where('delivery.midoffice_id', '=', midofficeId)
    .orderBy('attempt.delivery_seq')
    .orderBy('attempt.number')
    .execute();

  const waiting = new Set(pending.map(({ seq }) => seq));
  const inBoth = givenUp.filter(({ seq }) => waiting.has(seq));
  expect(inBoth, 'both pending and given up').toEqual([]);

  const stranded = pending.filter(
    (row) =>
      row.due_at === null &&
      !pending.some((other) => other.order_key === row.order_key && other.seq < row.seq),
  );
  expect(stranded, 'parked behind nothing').toEqual([]);

  const made = new Map<number, number>();
  for (const { delivery_seq: seq, number } of attempts) {
    expect(number, `attempts of ${seq}`).toBe((made.get(seq) ?? 0) + 1);
    made.set(seq, number);
  }
  // If support has changed a row, its number may be too low; reading due work corrects that.
  const untouched = pending.filter(({ asked_at }) => asked_at === null);
  expect(
    untouched.map(({ seq, attempts_made }) => [seq, attempts_made]),
    'attempts made',
  ).toEqual(untouched.map(({ seq }) => [seq, made.get(seq) ?? 0]));
}

/** Delivers everything that is pending for a midoffice; anything left after that was lost. */
export async function expectDrains(owner: QueueOwner, midofficeId: string): Promise<void> {
  owner.forget();
  owner.clock.advance(LONG_MS);
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const due = await owner.begin({ [midofficeId]: 100 });
    if (due.length === 0) break;
    expect(await owner.settle(due, 'delivered')).toHaveLength(due.length);
  }
  const left = await owner.store.db
    .selectFrom('pending')
    .selectAll()
    .where('midoffice_id', '=', midofficeId)
    .execute();
  expect(left, 'left in the queue').toEqual([]);
}
