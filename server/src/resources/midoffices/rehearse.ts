/**
 * Sends webhooks that a midoffice has had to a new receiver, or again to its own. Nothing of it is in the deliveries: the
 * audit keeps what became of each webhook.
 */
import { LONGEST_URL } from '@bellhop/partner/receiver-check';
import type { Static } from 'typebox';
import { deliverySeq } from '../../delivery/orders/order-event.ts';
import { LONGEST_REHEARSAL_MS, MOST_REHEARSED } from '../../delivery/rehearse.ts';
import type { DeliverySearch } from '../../store/queue/delivery-search.ts';
import { findDeliveries } from '../../store/queue/list.ts';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import { eventTypes } from '../deliveries/deliveries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { input, text } from '../forms.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { checkedUrl, findMidoffice } from './midoffice.ts';
import { RehearsalReport, reportOn } from './rehearsal-report.ts';

export { RehearsalReport };

const DEFAULT_NEWEST = 10;

export const NewRehearsal = input('NewRehearsal', {
  url: Type.Optional(
    like(
      story.url,
      Type.String({
        minLength: 1,
        maxLength: LONGEST_URL,
        format: 'uri',
        description: 'Where they are sent; the URL of the midoffice if not given.',
      }),
    ),
  ),
  newest: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_REHEARSED,
      description: `So many of the newest webhooks; ${DEFAULT_NEWEST} if nothing is chosen. It bounds the next two choices as well, which can be combined.`,
    }),
  ),
  one_of_each_type: Type.Optional(
    Type.Boolean({ description: 'Only the newest webhook of each type.' }),
  ),
  partner_order_id: Type.Optional(
    like(
      story.order,
      text(
        1,
        256,
        `Only webhooks of this order; the newest ${MOST_REHEARSED} if \`newest\` is not given.`,
      ),
    ),
  ),
  delivery_ids: Type.Optional(
    like(
      [story.deliveryId],
      Type.Array(Type.String({ maxLength: 60, format: 'id' }), {
        minItems: 1,
        maxItems: MOST_REHEARSED,
        description: 'These webhooks. The other choices do not count then.',
      }),
    ),
  ),
});
export type NewRehearsal = Static<typeof NewRehearsal>;

export const ABOUT_REHEARSALS = `At most ${MOST_REHEARSED} webhooks, the oldest first, signed again and marked with the header \`X-Bellhop-Rehearsal: 1\`. They are sent as deliveries are, as many at a time and as fast as the midoffice takes, and change nothing: no delivery, no attempt, nothing that says how the midoffice does. The first ones are sent one after another until one is accepted. After ${LONGEST_REHEARSAL_MS / 1_000} seconds, the rest is skipped, and the report says so. A second rehearsal of the same midoffice waits for the first one.`;

/** `partnerId`: only its orders. */
export async function rehearse(
  environment: SupportEnvironment,
  actor: string,
  midofficeId: string,
  { url: wanted, ...choice }: NewRehearsal,
  partnerId?: string,
): Promise<RehearsalReport> {
  const { store, webhooks } = environment;
  const url = wanted === undefined ? undefined : await checkedUrl(environment, wanted);
  await findMidoffice(store.db, midofficeId);
  const of = {
    midoffice_id: midofficeId,
    ...(partnerId !== undefined && { partner_id: partnerId }),
  };
  const found = (await chosen(store.db, of, choice)).sort((a, b) => a.seq - b.seq);
  const report = reportOn(found, await webhooks.rehearse(midofficeId, found, url));
  const { lines, started_at, ...result } = report;
  await store.change(actor, ({ audit }) =>
    audit('midoffice.rehearse', midofficeId, null, {
      ...result,
      // In one word each, because an entry of the audit is bounded.
      webhooks: lines.map(
        ({ name, outcome, status_code, duration_ms }) =>
          `${name} ${status_code ?? outcome} ${duration_ms ?? 0}ms`,
      ),
    }),
  );
  return report;
}

type Of = Pick<DeliverySearch, 'partner_id'> & { midoffice_id: string };

async function chosen(
  db: Database,
  of: Of,
  { newest, one_of_each_type, partner_order_id, delivery_ids }: Omit<NewRehearsal, 'url'>,
): Promise<FoundDelivery[]> {
  if (delivery_ids) return named(db, of, [...new Set(delivery_ids)]);
  const search = { ...of, ...(partner_order_id !== undefined && { partner_order_id }) };
  const most = newest ?? (partner_order_id === undefined ? DEFAULT_NEWEST : MOST_REHEARSED);
  const found = one_of_each_type
    ? await Promise.all(eventTypes.map((type) => findDeliveries(db, { ...search, type }, 1)))
    : [await findDeliveries(db, search, most)];
  const all = found.flat().sort((a, b) => b.seq - a.seq);
  if (all.length > 0) return all.slice(0, most);
  throw new Problem('delivery_not_found', 'The midoffice has had no such webhook.');
}

/** Throws if one of them is not of this midoffice: it is answered as one that does not exist. */
async function named(
  db: Database,
  { midoffice_id, partner_id }: Of,
  ids: readonly string[],
): Promise<FoundDelivery[]> {
  const seqs = ids.flatMap((id) => deliverySeq(id) ?? []);
  const found = (await findDeliveries(db, { seqs }, MOST_REHEARSED)).filter(
    (one) =>
      one.midoffice_id === midoffice_id &&
      (partner_id === undefined || one.partner_id === partner_id),
  );
  if (found.length === ids.length) return found;
  throw new Problem('delivery_not_found', 'The midoffice has not had each of these webhooks.');
}
