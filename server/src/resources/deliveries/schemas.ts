import Type from 'typebox';
import { statusClasses } from '../../store/queue/last-result.ts';
import { deliveryStates } from '../../store/queue/read-deliveries.ts';
import {
  filter,
  givenTime,
  input,
  orNull,
  pageQueryWith,
  query,
  reason,
  reply,
  time,
  wholeListOf,
  words,
} from '../forms.ts';
import { AttemptFailure, AttemptWithRequest } from './attempts.ts';
import { bulkActions } from './change-deliveries.ts';
import { MOST_IN_BULK } from './walk-deliveries.ts';

export const EventType = words(['created', 'updated', 'cancelled'], {
  title: 'EventType',
  description: 'What happened to the order.',
});

const DeliveryState = words(deliveryStates, { title: 'DeliveryState' });

const deliveryFields = {
  id: Type.String(),
  event_id: Type.String(),
  type: EventType,
  partner_id: Type.String(),
  partner_name: orNull(Type.String()),
  partner_order_id: Type.String(),
  agreement_number: orNull(Type.String()),
  status: orNull(Type.String()),
  midoffice_id: orNull(
    Type.String({ description: 'Null while the event is unrouted, or was cancelled as such.' }),
  ),
  midoffice_name: orNull(Type.String()),
  state: DeliveryState,
  in_flight: Type.Boolean({
    description:
      'Whether the node that answers has an attempt of it under way. To be sure, ask the node that delivers to its midoffice (`delivery_node`).',
  }),
  attempts_made: Type.Integer(),
  last_status_code: orNull(
    Type.Integer({
      description:
        'What the receiver answered to the last attempt; also of a reply that was never finished.',
    }),
  ),
  last_failure_code: orNull(AttemptFailure),
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

const filterFields = {
  state: Type.Optional(DeliveryState),
  midoffice_id: filter(),
  partner_id: filter(),
  partner_order_id: filter('The whole order id.', 0, 256),
  partner_order_id_prefix: filter(
    'The beginning of the order id. The list is then in descending order of the ids.',
    1,
    256,
  ),
  type: Type.Optional(EventType),
  failure_code: Type.Optional({ ...AttemptFailure, description: 'Why the last attempt failed.' }),
  status_class: Type.Optional(
    words(statusClasses, {
      title: 'StatusClass',
      description:
        'How the receiver answered the last attempt. A reply that was never finished counts as `no_answer`.',
    }),
  ),
  since: Type.Optional(givenTime()),
  until: Type.Optional(givenTime()),
};

export const deliveryQuery = query({ ...pageQueryWith('cursor-of-deliveries'), ...filterFields });
export const deliveryCountQuery = query(filterFields);

export const DeliveryCount = reply('DeliveryCount', {
  count: Type.Integer(),
  by_state: Type.Object(
    Object.fromEntries(deliveryStates.map((state) => [state, Type.Integer()])) as Record<
      (typeof deliveryStates)[number],
      ReturnType<typeof Type.Integer>
    >,
  ),
  has_more: Type.Boolean({
    description: `Whether there are more than ${MOST_IN_BULK}, at which the count ends.`,
  }),
});

const MOST_SELECTED = 1_000;

export const BulkChange = input('BulkChange', {
  action: words(bulkActions, { title: 'BulkAction' }),
  filter: input('DeliveryFilter', {
    ...filterFields,
    // Null as in `NewKey.endpoints`.
    ids: Type.Optional(
      orNull(
        Type.Array(Type.String({ maxLength: 20, format: 'delivery-id' }), {
          minItems: 1,
          maxItems: MOST_SELECTED,
          description: 'Only these deliveries; all if not given or null.',
        }),
      ),
    ),
  }),
  expected: Type.Integer({
    minimum: 0,
    maximum: MOST_IN_BULK,
    description:
      'How many deliveries the filter finds. If it finds another number, nothing changes.',
  }),
});

export const BulkChanged = reply('BulkChanged', {
  changed: Type.Integer({
    description:
      'Less than `expected` if some of them were settled meanwhile, cannot be cancelled because they are settled, or cannot be sent because they and their partner have no midoffice.',
  }),
});

export const Cancellation = input('Cancellation', { reason: Type.Optional(reason) });

const DeliveryNode = reply('DeliveryNode', {
  id: Type.String(),
  host: Type.String(),
  since: time,
  shards: Type.Array(Type.Integer(), { description: 'The shards that it delivers for.' }),
  in_flight: Type.Integer({ description: 'Attempts under way, to within about a second.' }),
});

export const DeliveryNodes = reply('DeliveryNodes', {
  ...wholeListOf(DeliveryNode).properties,
  unowned: Type.Array(Type.Integer(), {
    description: 'Shards that no node delivers for at the moment.',
  }),
});
