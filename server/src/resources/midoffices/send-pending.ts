import type { Static } from 'typebox';
import { deliverySeq } from '../../delivery/orders/order-event.ts';
import { findWaiting } from '../../store/queue/waiting.ts';
import { nameSent, sentDeliveries } from '../deliveries/sent.ts';
import type { SupportEnvironment } from '../environment.ts';
import { query, reply } from '../forms.ts';
import { changeInBatches } from '../in-batches.ts';
import { invalidField } from '../problem.ts';
import { Type } from '../type.ts';
import { findMidoffice } from './midoffice.ts';

export const SentPending = reply('SentPending', {
  sent: Type.Integer({ description: 'How many were waiting and are due now.' }),
  ...sentDeliveries,
});

export const sendPendingQuery = query({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, description: 'Send at most this many, the oldest first.' }),
  ),
  after: Type.Optional(
    Type.String({
      maxLength: 20,
      format: 'delivery-id',
      description: 'Send only those that were accepted after this delivery.',
    }),
  ),
});
type Limited = Static<typeof sendPendingQuery>;

/**
 * Makes everything that waits for the midoffice due now, the oldest first. The lane sends it as fast as
 * `max_in_flight` and `max_per_second` allow; while the midoffice is paused, it waits until the midoffice is resumed. The attempts use no
 * step of the schedule. An event that waits for an earlier one of its order follows that one by itself, so it is
 * not counted.
 */
export async function sendPending(
  environment: SupportEnvironment,
  actor: string,
  id: string,
  limited: Limited = {},
): Promise<Static<typeof SentPending>> {
  return send(environment, actor, { midofficeId: id }, limited);
}

/** The same for the orders of one partner: others may share its midoffice. The audit has it under the partner. */
export async function sendPendingOfPartner(
  environment: SupportEnvironment,
  actor: string,
  whose: { midofficeId: string; partnerId: string },
  limited: Limited = {},
): Promise<Static<typeof SentPending>> {
  return send(environment, actor, whose, limited);
}

async function send(
  { store, clock }: SupportEnvironment,
  actor: string,
  whose: { midofficeId: string; partnerId?: string },
  { limit, after }: Limited,
): Promise<Static<typeof SentPending>> {
  const { midofficeId: id, partnerId } = whose;
  await findMidoffice(store.db, id);
  const afterSeq = after === undefined ? 0 : deliverySeq(after);
  if (afterSeq === undefined) throw invalidField('after', 'must be the id of a delivery');
  const all = await findWaiting(store.db, whose, clock.now());
  const later = after === undefined ? all : all.filter((seq) => seq > afterSeq);
  const waiting = limit === undefined ? later : later.slice(0, limit);
  const named = nameSent(limit);
  const sent = await changeInBatches(store, actor, {
    ...(partnerId === undefined
      ? { action: 'midoffice.send_pending', subject: id }
      : { action: 'partner.send_pending', subject: partnerId }),
    seqs: waiting,
    find: async (batch) => batch,
    change: (queue, batch) => queue.sendWaiting(batch),
    after: (sent) => ({ sent }),
    named,
  });
  return { sent, ...named.reply() };
}
