/** What was sent by hand, so that the caller can follow what becomes of it. */
import type { Static } from 'typebox';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import { readAttemptsMade } from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import { like, story } from '../examples.ts';
import { reply } from '../forms.ts';
import { Type } from '../type.ts';

/** Of all that a call has sent. */
export const MOST_NAMED = 1_000;

export const SentDelivery = reply('SentDelivery', {
  id: like(story.deliveryId),
  attempts_made: Type.Integer({ description: 'Before this. It grows with the attempt.' }),
});
export type SentDelivery = Static<typeof SentDelivery>;

/** A part of the replies of what sends many. */
export const sentDeliveries = {
  deliveries: Type.Optional(
    Type.Array(SentDelivery, {
      description: `Only where a limit was given: which were sent, the oldest first, ${MOST_NAMED} at most. \`ids\` of the list of deliveries shows what becomes of them.`,
    }),
  ),
};

/**
 * Collects them for the reply. Without a limit nobody asks for them, and a backlog of a million would fill the memory, so
 * nothing is read that the reply does not have.
 */
export function nameSent(limit: number | undefined) {
  const named: SentDelivery[] = [];
  return {
    /** In the transaction that has sent them: later, the attempts may have been made. */
    async read(db: Database, seqs: readonly number[]): Promise<SentDelivery[]> {
      const wanted = limit === undefined ? [] : seqs.slice(0, MOST_NAMED - named.length);
      if (wanted.length === 0) return [];
      const rows = await readAttemptsMade(db, wanted);
      return rows.map(({ seq, attempts_made }) => ({ id: deliveryId(seq), attempts_made }));
    },
    /** Once the transaction is committed. */
    add(sent: readonly SentDelivery[]): void {
      named.push(...sent);
    },
    reply: (): { deliveries?: SentDelivery[] } =>
      limit === undefined ? {} : { deliveries: named },
  };
}

export type NamedSent = ReturnType<typeof nameSent>;
