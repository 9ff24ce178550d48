/**
 * Where a delivery goes when it is sent again: where the webhooks of its partner go now, unless its event names a
 * midoffice. One that is pending stays where it waits. Its earlier attempts keep the receiver that they were made to.
 */
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { Retried } from '../../store/queue/verbs.ts';
import type { Database, MidofficeRow } from '../../store/schema.ts';
import { queuedFor } from '../midoffices/midoffice.ts';
import { midoffices } from '../midoffices/queries.ts';
import { partners } from '../partners/queries.ts';

/** Undefined if neither the delivery nor its partner has one. */
export async function midofficeNow(
  db: Database,
  delivery: FoundDelivery,
): Promise<MidofficeRow | undefined> {
  return (await midofficesNow(db, [delivery]))(delivery);
}

/** Leaves out those that cannot be sent, because there is no midoffice. */
export async function withMidoffices(
  db: Database,
  found: readonly FoundDelivery[],
): Promise<Retried[]> {
  const midofficeOf = await midofficesNow(db, found);
  return found.flatMap((delivery) => {
    const { seq, state } = delivery;
    const midoffice = midofficeOf(delivery);
    return midoffice ? [{ seq, state, midoffice: queuedFor(midoffice) }] : [];
  });
}

async function midofficesNow(db: Database, found: readonly FoundDelivery[]) {
  const partnerIds = new Set(found.map(({ partner_id }) => partner_id));
  const their = await partners.readAll(db, [...partnerIds]);
  const idOf = ({ state, midoffice_id, asked_midoffice_id, partner_id }: FoundDelivery) =>
    state === 'pending'
      ? midoffice_id
      : (asked_midoffice_id ?? their.get(partner_id)?.midoffice_id ?? midoffice_id);
  const ids = new Set(found.flatMap((one) => idOf(one) ?? []));
  const byId = await midoffices.readAll(db, [...ids]);
  return (one: FoundDelivery) => byId.get(idOf(one) ?? '');
}
