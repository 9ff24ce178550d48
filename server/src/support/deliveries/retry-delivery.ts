import type { Kysely } from 'kysely';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { Schema } from '../../store/schema.ts';
import type { Desk } from '../environment.ts';
import { findMidoffice, queuedFor } from '../midoffices/midoffices.ts';
import { findPartner } from '../partners/partners.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

/**
 * An attempt now. One that waits goes on with its schedule after it, of which the attempt uses up no
 * step. While another attempt is under way, it follows that one, should it fail. One that is settled,
 * however it ended, is delivered once more with a whole schedule before it; so is one that had no
 * midoffice, if its partner has one now.
 */
export async function retryDelivery(desk: Desk, actor: string, id: string): Promise<ShownDelivery> {
  return desk.store.change(actor, async ({ db, audit, queue }) => {
    const before = await findDelivery(db, id);
    const midofficeId = before.midoffice_id ?? (await midofficeNow(db, before));
    const isThere = await queue.retry(before.seq, queuedFor(await findMidoffice(db, midofficeId)));
    // The retention has just deleted it.
    if (!isThere) throw new Problem('delivery_not_found');
    const after = await findDelivery(db, id);
    await audit('delivery.retry', id, { state: before.state }, { state: after.state });
    return showDelivery(desk, after);
  });
}

async function midofficeNow(db: Kysely<Schema>, { partner_id }: FoundDelivery): Promise<string> {
  const { midoffice_id } = await findPartner(db, partner_id);
  if (midoffice_id === null) throw new Problem('no_midoffice');
  return midoffice_id;
}
