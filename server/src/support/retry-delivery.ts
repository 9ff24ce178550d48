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

/** A lease whose time is up belongs to nobody: its node died. */
function isUnderWay({ lease, due_at }: Row, now: number): boolean {
  return lease !== null && (due_at ?? 0) > now;
}

async function retryPending(db: Kysely<Schema>, before: Row, now: number): Promise<boolean> {
  if (isUnderWay(before, now)) return write(db, before, { retry_asked: 1 });
  const scheduled_at = before.lease === null ? (before.scheduled_at ?? before.due_at) : null;
  return write(db, before, { due_at: now, scheduled_at, lease: null });
}

/** One that was cancelled during an attempt goes on after that attempt, should it fail. */
async function deliverAgain(
  db: Kysely<Schema>,
  before: Row,
  now: number,
  midofficeId: string,
  deliveryOrder: string,
): Promise<boolean> {
  const revived = { state: 'pending', settled_at: null };
  if (isUnderWay(before, now)) return write(db, before, { ...revived, retry_asked: 1 });
  return write(db, before, {
    ...revived,
    midoffice_id: midofficeId,
    due_at: now,
    scheduled_at: null,
    lease: null,
    retries_used: 0,
    last_key: null,
    ordered: deliveryOrder === 'per_order' ? 1 : 0,
  });
}

/** False if something else has changed it since it was read. */
async function write(db: Kysely<Schema>, before: Row, set: Partial<Row>): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('delivery')
    .set(set)
    .where('seq', '=', before.seq)
    .where('state', '=', before.state)
    .where('lease', before.lease === null ? 'is' : '=', before.lease)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}
