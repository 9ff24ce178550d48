/**
 * Creates the rows of shards that someone has deleted by hand. No node can own a shard without a row, so
 * nothing would be delivered to its midoffices.
 */
import type { Kysely } from 'kysely';
import { SHARDS } from '../../delivery/queue.ts';
import type { Schema } from '../schema.ts';

/** Where epochs continue from the clock. Nobody takes a shard over a thousand times in a millisecond. */
export const EPOCHS_PER_MS = 1_000;

export async function restoreShards(db: Kysely<Schema>, nowMs: number): Promise<void> {
  const rows = await db.selectFrom('shard').select('n').execute();
  const present = new Set(rows.map(({ n }) => n));
  const missing = Array.from({ length: SHARDS }, (_, n) => n).filter((n) => !present.has(n));
  if (missing.length === 0) return;
  // Higher than any epoch of the deleted row, which counted takeovers, from the clock after a failover (history.ts): a
  // node that still works under an old epoch must stay fenced.
  const epoch = Math.floor(nowMs) * EPOCHS_PER_MS;
  await db
    .insertInto('shard')
    .values(missing.map((n) => ({ n, node: null, epoch, until: 0, in_flight: 0 })))
    .onConflict((conflict) => conflict.column('n').doNothing())
    .execute();
}
