import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Desk } from './desk.ts';
import { findMidoffice } from './midoffices.ts';

/** Requeued in one transaction; small, so that neither flow waits long for it. */
const AT_ONCE = 1_000;

export interface RecoveryInput {
  since: string;
  until?: string;
}

/** Everything of a midoffice that was given up, accepted in that time, gets a new schedule. */
export async function recoverMidoffice(
  desk: Desk,
  actor: string,
  id: string,
  input: RecoveryInput,
): Promise<{ requeued: number }> {
  const { delivery_order } = await findMidoffice(desk.store.db, id);
  const ordered = delivery_order === 'per_order' ? 1 : 0;
  const sinceMs = Date.parse(input.since);
  const untilMs = input.until === undefined ? desk.clock.now() : Date.parse(input.until);
  let requeued = 0;
  let after = 0;
  for (;;) {
    const batch = await desk.store.change(actor, async ({ db, now, audit, workFor }) => {
      const rows = await db
        .selectFrom('delivery')
        .select('seq')
        .where('midoffice_id', '=', id)
        .where('state', 'in', [sql.lit('exhausted'), sql.lit('cancelled')])
        .where('accepted_at', '>=', sinceMs)
        .where('accepted_at', '<=', untilMs)
        .where('lease', 'is', null)
        .where('seq', '>', after)
        .orderBy('seq')
        .limit(AT_ONCE)
        .execute();
      const seqs = rows.map((row) => row.seq);
      const { numUpdatedRows } = await db
        .updateTable('delivery')
        .set({ state: 'pending', due_at: now, settled_at: null, retries_used: 0, ordered })
        .where('seq', 'in', seqs.length > 0 ? seqs : [-1])
        .where('state', 'in', ['exhausted', 'cancelled'])
        .executeTakeFirst();
      await workFor([id]);
      await audit('midoffice.recover', id, null, { ...input, requeued: Number(numUpdatedRows) });
      return { seqs, updated: Number(numUpdatedRows) };
    });
    requeued += batch.updated;
    if (batch.seqs.length < AT_ONCE) return { requeued };
    after = batch.seqs[batch.seqs.length - 1] as number;
    await nextTurn();
  }
}
