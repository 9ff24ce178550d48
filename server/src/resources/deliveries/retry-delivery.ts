import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { findMidoffice, queuedFor } from '../midoffices/midoffice.ts';
import { findPartner } from '../partners/partner.ts';
import { Problem } from '../problem.ts';
import { findDelivery, type ShownDelivery, showDelivery } from './deliveries.ts';

/**
 * Requests an attempt now. A pending delivery continues its schedule afterwards; the attempt uses no step of
 * it. If an attempt is in flight and fails, the requested one follows it. A settled delivery is delivered
 * again, with a whole schedule. So is an unrouted one, if its partner has a midoffice now.
 */
export async function retryDelivery(
  environment: SupportEnvironment,
  actor: string,
  id: string,
): Promise<ShownDelivery> {
  return environment.store.change(actor, async ({ db, audit, queue }) => {
    await queue.lock((await findDelivery(db, id)).seq);
    const before = await findDelivery(db, id);
    const midofficeId = before.midoffice_id ?? (await midofficeNow(db, before));
    await queue.retry(before.seq, queuedFor(await findMidoffice(db, midofficeId)));
    const after = await findDelivery(db, id);
    await audit('delivery.retry', id, { state: before.state }, { state: after.state });
    return showDelivery(environment, after);
  });
}

async function midofficeNow(db: Database, { partner_id }: FoundDelivery): Promise<string> {
  const { midoffice_id } = await findPartner(db, partner_id);
  if (midoffice_id === null) throw new Problem('no_midoffice');
  return midoffice_id;
}
