import Type from 'typebox';
import { deliveryStates } from '../../store/queue/read-deliveries.ts';
import { AttemptWithRequest } from './attempts.ts';
import {
  environmentParams,
  input,
  orNull,
  pageQuery,
  query,
  reason,
  reply,
  time,
  words,
} from './forms.ts';
import { EventType } from './orders.ts';

export const oneDelivery = Type.Object({ ...environmentParams, id: Type.String() });

const DeliveryState = words(deliveryStates, { title: 'DeliveryState' });

const deliveryFields = {
  id: Type.String(),
  event_id: Type.String(),
  type: EventType,
  partner_id: Type.String(),
  partner_order_id: Type.String(),
  agreement_number: orNull(Type.String()),
  status: orNull(Type.String()),
  midoffice_id: orNull(Type.String({ description: 'Null while the event is unrouted.' })),
  state: DeliveryState,
  in_flight: Type.Boolean({
    description:
      'Whether the node that answers has an attempt of it under way. To be sure, ask the node that delivers to its midoffice (`delivery_node`).',
  }),
  attempts_made: Type.Integer(),
  next_attempt_at: orNull(
    Type.String({
      format: 'date-time',
      description:
        'Null while an attempt is under way, while it waits for an earlier event of its order, and once it is settled.',
    }),
  ),
  accepted_at: time,
  settled_at: orNull(time),
};

export const Delivery = reply('Delivery', deliveryFields);

export const DeliveryWithAttempts = reply('DeliveryWithAttempts', {
  ...deliveryFields,
  attempts: Type.Array(AttemptWithRequest),
  future_attempts: Type.Array(time, {
    description:
      'When the remaining attempts would come; empty once it is settled, or while it waits for an earlier event of its order.',
  }),
  why: orNull(
    Type.String({ description: 'Why the last attempt failed, and what to do about it.' }),
  ),
});

export const deliveryQuery = query({
  ...pageQuery,
  state: Type.Optional(DeliveryState),
  midoffice_id: Type.Optional(Type.String()),
  partner_id: Type.Optional(Type.String()),
  partner_order_id: Type.Optional(Type.String()),
  type: Type.Optional(EventType),
  since: Type.Optional(time),
  until: Type.Optional(time),
});

export const Cancellation = input('Cancellation', { reason: Type.Optional(reason) });

export const DeliveryNodes = reply('DeliveryNodes', {
  items: Type.Array(
    reply('DeliveryNode', {
      id: Type.String(),
      host: Type.String(),
      since: time,
      shards: Type.Array(Type.Integer(), { description: 'The shards that it delivers for.' }),
      in_flight: Type.Integer({ description: 'Attempts under way, to within about a second.' }),
    }),
  ),
  unowned: Type.Array(Type.Integer(), {
    description: 'Shards that no node delivers for at the moment.',
  }),
});
