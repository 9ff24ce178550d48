/** A delivery as support sees it: its schema, how to find one, and one with all its attempts. */
import type { Static } from 'typebox';
import { deliveryId, deliverySeq } from '../../delivery/orders/order-event.ts';
import { deliveryStates } from '../../delivery/states.ts';
import {
  type DeliveryProgress,
  type FoundDelivery,
  readDelivery,
} from '../../store/queue/read-deliveries.ts';
import type { Database } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { AttemptFailure, AttemptWithRequest, requestAsSent, showAttempt } from './attempts.ts';
import { readAttempts } from './queries.ts';
import { midofficeNow } from './sent-again.ts';
import { whyFailed } from './why-failed.ts';

export const eventTypes = ['created', 'updated', 'cancelled'] as const;

export const EventType = words(eventTypes, {
  title: 'EventType',
  description: 'What happened to the order.',
});

export const DeliveryState = words(deliveryStates, { title: 'DeliveryState' });

export const Delivery = reply('Delivery', {
  id: like(story.deliveryId),
  event_id: like(story.eventId),
  type: EventType,
  partner_id: like(story.partnerId),
  partner_name: orNull(like(story.partner)),
  partner_order_id: like(story.order),
  agreement_number: orNull(like(story.agreement)),
  status: orNull(like('confirmed')),
  midoffice_id: orNull(
    like(story.midofficeId, 'Null while the event is unrouted, or was cancelled as such.'),
  ),
  midoffice_name: orNull(like(story.midoffice)),
  state: DeliveryState,
  paused: Type.Boolean({
    description:
      'Whether it waits until its midoffice is resumed: it is pending, and the midoffice is paused.',
  }),
  in_flight: Type.Boolean({
    description:
      'Whether the node that answers has an attempt of it under way. To be sure, ask the node that delivers to its midoffice (`delivery_node`).',
  }),
  attempts_made: Type.Integer(),
  last_status_code: orNull(
    Type.Integer({
      description:
        'What the receiver answered to the last attempt; also of a reply that was never finished.',
      examples: [503],
    }),
  ),
  last_failure_code: like('status', orNull(AttemptFailure)),
  next_attempt_at: orNull(
    Type.String({
      format: 'date-time',
      description:
        'Null while an attempt is under way, while its midoffice is paused, while it waits for an earlier event of its order, and once it is settled.',
    }),
  ),
  accepted_at: time,
  settled_at: orNull(time),
  acknowledged_at: orNull(
    Type.String({
      format: 'date-time',
      description: 'When somebody decided that the exhausted delivery needs no recovery.',
    }),
  ),
});
export type Delivery = Static<typeof Delivery>;

export const DeliveryWithAttempts = reply('DeliveryWithAttempts', {
  ...Delivery.properties,
  attempts: Type.Array(AttemptWithRequest),
  sends_to: orNull(
    reply(
      'SendsTo',
      { id: like(story.midofficeId), name: like(story.midoffice) },
      {
        description:
          'Where it goes when it is sent again: where the webhooks of its partner go now, or to the midoffice that its event names. Null if there is none.',
      },
    ),
  ),
  future_attempts: Type.Array(time, {
    description:
      'When the remaining attempts would come; empty once it is settled, while its midoffice is paused, or while it waits for an earlier event of its order.',
  }),
  why: like(
    whyFailed({ status_code: 503, failure_code: 'status', error: null }),
    orNull(Type.String({ description: 'Why the last attempt failed, and what to do about it.' })),
  ),
});

/** The reply's schema leaves out the columns that support does not see. */
export function showDelivery({ webhooks }: SupportEnvironment, found: FoundDelivery): Delivery {
  const in_flight = webhooks.isInFlight(found.seq);
  const paused = found.state === 'pending' && found.midoffice_paused === 1;
  return {
    ...found,
    id: deliveryId(found.seq),
    paused,
    in_flight,
    next_attempt_at: in_flight || paused ? null : isoOrNull(found.due_at),
    accepted_at: new Date(found.accepted_at).toISOString(),
    settled_at: isoOrNull(found.settled_at),
    acknowledged_at: isoOrNull(found.acknowledged_at),
  };
}

export async function findDelivery(db: Database, id: string): Promise<FoundDelivery> {
  const seq = deliverySeq(id);
  const found = seq === undefined ? undefined : await readDelivery(db, seq);
  if (!found) throw new Problem('delivery_not_found');
  return found;
}

/** One delivery with its past and future attempts, and why the last one failed. */
export async function getDelivery(
  environment: SupportEnvironment,
  id: string,
): Promise<Static<typeof DeliveryWithAttempts>> {
  const { store, webhooks, clock } = environment;
  const found = await findDelivery(store.db, id);
  const attempts = await readAttempts(store.db, found.seq);
  const last = attempts.at(-1);
  const shown = showDelivery(environment, found);
  return {
    ...shown,
    attempts: attempts.map((attempt) => ({
      ...showAttempt(attempt),
      request: requestAsSent(found, attempt),
    })),
    sends_to: await sendsTo(store.db, found),
    future_attempts: shown.paused
      ? []
      : futureAttempts(found, shown.in_flight, webhooks.retrySchedule, clock.now()),
    why:
      last?.outcome === 'failed'
        ? whyFailed(last, shown.paused ? 'paused' : found.state === 'pending' ? 'retry' : 'nothing')
        : null,
  };
}

async function sendsTo(db: Database, found: FoundDelivery) {
  const midoffice = await midofficeNow(db, found);
  return midoffice ? { id: midoffice.id, name: midoffice.name } : null;
}

/**
 * When the remaining attempts would start if each one failed immediately. An attempt in flight is not among
 * them. Empty if the delivery waits for an earlier event of its order, because nobody knows for how long.
 */
export function futureAttempts(
  progress: Pick<DeliveryProgress, 'state' | 'due_at' | 'retries_used' | 'scheduled_at'>,
  inFlight: boolean,
  schedule: readonly number[],
  nowMs: number,
): string[] {
  const { state, due_at, retries_used, scheduled_at } = progress;
  if (state !== 'pending') return [];
  const times: number[] = [];
  let atMs = nowMs;
  if (!inFlight) {
    if (due_at === null) return [];
    atMs = Math.max(due_at, nowMs);
    times.push(atMs);
  }
  if (scheduled_at !== null) {
    // The scheduled attempt follows the one that support requested.
    atMs = Math.max(scheduled_at, atMs);
    times.push(atMs);
  }
  for (const waitMs of schedule.slice(retries_used)) {
    atMs += waitMs;
    times.push(atMs);
  }
  return times.map((ms) => new Date(ms).toISOString());
}
