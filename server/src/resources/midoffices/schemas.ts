import Type from 'typebox';
import { LONGEST_URL } from '../../receiver/url.ts';
import { Attempt, AttemptWithRequest, BodyForm } from '../deliveries/attempt-schemas.ts';
import { givenTime, idOf, input, orNull, reply, text, time, words } from '../forms.ts';
import { midofficeHealths } from './health.ts';
import { deliveryOrders, MOST_IN_FLIGHT } from './midoffices.ts';
import { MOST_RECOVERED } from './recover-midoffice.ts';

const receiverUrl = Type.String({
  minLength: 1,
  maxLength: LONGEST_URL,
  format: 'uri',
  description: 'Where webhooks are POSTed.',
});

const DeliveryOrder = words(deliveryOrders, {
  title: 'DeliveryOrder',
  description:
    '`per_order`: the events of one order go out one after another, in the order in which they were accepted.',
});

export const midofficeFields = {
  name: text(1, 200),
  url: receiverUrl,
  signing_key_id: idOf('the key whose API key signs'),
  body_form: BodyForm,
  delivery_order: DeliveryOrder,
  max_in_flight: Type.Integer({ minimum: 1, maximum: MOST_IN_FLIGHT }),
};

export const Midoffice = reply('Midoffice', {
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  signing_key_id: Type.String(),
  body_form: BodyForm,
  delivery_order: DeliveryOrder,
  max_in_flight: Type.Integer(),
  paused: Type.Boolean(),
  failing_since: orNull(time),
  health: words(midofficeHealths, {
    title: 'MidofficeHealth',
    description:
      'Whether its receiver answers. `untested`: neither a webhook nor a test event was ever sent to it.',
  }),
  created_at: time,
});

export const NewMidoffice = input('NewMidoffice', {
  name: midofficeFields.name,
  url: midofficeFields.url,
  signing_key_id: midofficeFields.signing_key_id,
  body_form: Type.Optional(midofficeFields.body_form),
  delivery_order: Type.Optional(midofficeFields.delivery_order),
  max_in_flight: Type.Optional(midofficeFields.max_in_flight),
});

export const MidofficeChanges = input(
  'MidofficeChanges',
  {
    ...Type.Partial(Type.Object(midofficeFields)).properties,
    paused: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1 },
);

export const MidofficeWithState = reply('MidofficeWithState', {
  ...Midoffice.properties,
  pending: Type.Integer(),
  waiting: Type.Integer({
    description:
      'How many of them wait for the time of their next attempt: neither due, nor in flight, nor behind an earlier event of their order.',
  }),
  oldest_pending_at: orNull(time),
  delivery_node: orNull(
    Type.String({ description: 'The node that delivers to it; null while there is none.' }),
  ),
  last_attempt: orNull(reply('LastAttempt', { delivery_id: Type.String(), ...Attempt.properties })),
  last_test: orNull(
    reply('LastTest', { at: time, actor: Type.String(), attempt: AttemptWithRequest }),
  ),
});

export const SentPending = reply('SentPending', {
  sent: Type.Integer({ description: 'How many were waiting and are due now.' }),
});

export const Recovery = input('Recovery', {
  since: givenTime(),
  until: Type.Optional(givenTime()),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Only count what would be requeued; nothing changes.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_RECOVERED,
      description: 'Requeue at most this many, the oldest first; the reply says how many remain.',
    }),
  ),
});

export const Recovered = reply('Recovered', {
  requeued: Type.Integer(),
  remaining: Type.Optional(Type.Integer({ description: 'Only where a limit was given.' })),
});
