import type { Kysely } from 'kysely';
import type { Schema } from '../store/schema.ts';
import { findDelivery, type Row, type ShownDelivery, showDelivery } from './deliveries.ts';
import type { Desk } from './desk.ts';
import { findMidoffice } from './midoffices.ts';
import { findPartner } from './partners.ts';
import { Problem } from './problem.ts';

/**
 * An attempt now. One that waits goes on with its schedule after it, of which the attempt uses up no
 * step. While another attempt is under way, it follows that one, should it fail. One that is settled,
 * however it ended, is delivered once more with a whole schedule before it; so is one that had no
 * midoffice, if its partner has one now.
 */
export async function retryDelivery(desk: Desk, actor: string, id: string): Promise<ShownDelivery> {
  return desk.store.change(actor, async ({ db, now, audit, workFor }) => {
    const before = await findDelivery(db, id);
    const midofficeId = before.midoffice_id ?? (await midofficeNow(db, before));
    const { delivery_order } = await findMidoffice(db, midofficeId);
    const isDone =
      before.state === 'pending'
        ? await retryPending(db, before, now)
        : await deliverAgain(db, before, now, midofficeId, delivery_order);
    // Nothing is written then, neither here nor in the audit.
    if (!isDone) throw new Problem('changed_meanwhile');
    const after = await findDelivery(db, id);
    await workFor([midofficeId]);
    await audit('delivery.retry', id, { state: before.state }, { state: after.state });
    return showDelivery(after);
  });
}

async function midofficeNow(db: Kysely<Schema>, { partner_id }: Row): Promise<string> {
  const { midoffice_id } = await findPartner(db, partner_id);
  if (midoffice_id === null) throw new Problem('no_midoffice');
  return midoffice_id;
}

async function retryPending(db: Kysely<Schema>, before: Row, now: number): Promise<boolean> {
  const set =
    before.lease === null
      ? { due_at: now, scheduled_at: before.scheduled_at ?? before.due_at }
      : { retry_asked: 1 };
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set(set)
    .where('seq', '=', before.seq)
    .where('state', '=', 'pending')
    .where('lease', before.lease === null ? 'is' : '=', before.lease)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** One that was cancelled during an attempt is left to that attempt, but no longer cancelled. */
async function deliverAgain(
  db: Kysely<Schema>,
  before: Row,
  now: number,
  midofficeId: string,
  deliveryOrder: string,
): Promise<boolean> {
  const revived = { state: 'pending', settled_at: null };
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set(
      before.lease !== null
        ? revived
        : {
            ...revived,
            midoffice_id: midofficeId,
            due_at: now,
            scheduled_at: null,
            retries_used: 0,
            last_key: null,
            ordered: deliveryOrder === 'per_order' ? 1 : 0,
          },
    )
    .where('seq', '=', before.seq)
    .where('state', '=', before.state)
    .where('lease', before.lease === null ? 'is' : '=', before.lease)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
