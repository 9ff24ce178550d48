import { setImmediate as nextTurn } from 'node:timers/promises';
import { readTime } from './deliveries.ts';
import type { Desk } from './desk.ts';
import { countGivenUp, type GivenUp, pickGivenUp } from './given-up.ts';
import { findMidoffice } from './midoffices.ts';

/** Requeued in one transaction; small, so that neither flow waits long for it. */
const AT_ONCE = 1_000;
export const MOST_RECOVERED = 10_000;

export interface RecoveryInput {
  since: string;
  until?: string;
  /** Only count what would be requeued. */
  dry_run?: boolean;
  /** Requeue this many at most, the oldest, and count the rest. */
  limit?: number;
}

/** Everything of a midoffice that was given up or had none, accepted in that time, gets a new schedule. */
export async function recoverMidoffice(
  desk: Desk,
  actor: string,
  id: string,
  { dry_run, limit, ...span }: RecoveryInput,
): Promise<{ requeued: number; remaining?: number }> {
  const { db } = desk.store;
  const { delivery_order } = await findMidoffice(db, id);
  const ordered = delivery_order === 'per_order' ? 1 : 0;
  const which: GivenUp = {
    midofficeId: id,
    nowMs: desk.clock.now(),
    sinceMs: readTime(span.since, '/since'),
    untilMs: span.until === undefined ? desk.clock.now() : readTime(span.until, '/until'),
  };
  if (dry_run) return { requeued: await countGivenUp(db, which) };
  const most = limit ?? Number.POSITIVE_INFINITY;
  let requeued = 0;
  let after = 0;
  for (;;) {
    const size = Math.min(AT_ONCE, most - requeued);
    const batch = await desk.store.change(actor, async ({ db, now, audit, workFor }) => {
      const seqs = await pickGivenUp(db, which, after, size);
      const { numUpdatedRows } = await db
        .updateTable('delivery')
        .set({
          state: 'pending',
          lease: null,
          midoffice_id: id,
          due_at: now,
          scheduled_at: null,
          settled_at: null,
          retries_used: 0,
          last_key: null,
          ordered,
        })
        .where('seq', 'in', seqs.length > 0 ? seqs : [-1])
        .where('state', 'in', ['exhausted', 'cancelled', 'unrouted'])
        .executeTakeFirst();
      await workFor([id]);
      await audit('midoffice.recover', id, null, { ...span, requeued: Number(numUpdatedRows) });
      return { seqs, updated: Number(numUpdatedRows) };
    });
    requeued += batch.updated;
    if (batch.seqs.length < size || requeued >= most) break;
    after = batch.seqs[batch.seqs.length - 1] as number;
    await nextTurn();
  }
  if (limit === undefined) return { requeued };
  return { requeued, remaining: await countGivenUp(db, which) };
}
