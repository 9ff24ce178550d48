/**
 * Attempts as a partner sees them. Where several partners share a midoffice, the key of one of them signs for all, and
 * the others learn nothing of it.
 */
import type { Static } from 'typebox';
import { AttemptWithRequest } from '../resources/deliveries/attempts.ts';
import { Delivery, DeliveryWithAttempts } from '../resources/deliveries/deliveries.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import { like, story } from '../resources/examples.ts';
import { orNull, reply, Type } from '../resources/forms.ts';
import { ownKeysAmong } from '../resources/keys/queries.ts';
import { EXAMPLE_OWN_ID } from '../resources/portal/delivery-ids.ts';

export const OwnAttempt = reply('AttemptWithRequest', {
  ...AttemptWithRequest.properties,
  key_id: orNull(like(story.keyId, 'The key that signed it; null if it is not one of yours.')),
  key_fingerprint: orNull(
    like(
      '6f1d2a90',
      'Tells apart the values that the key had before and after a rotation; null if the key is not one of yours.',
    ),
  ),
});
export type OwnAttempt = Static<typeof OwnAttempt>;

const id = like(
  EXAMPLE_OWN_ID,
  'Yours alone: API support finds the webhook by it, but has another id for it.',
);

export const OwnListedDelivery = reply('Delivery', { ...Delivery.properties, id });

export const OwnDelivery = reply('DeliveryWithAttempts', {
  ...DeliveryWithAttempts.properties,
  id,
  attempts: Type.Array(OwnAttempt),
});

export async function withoutForeignKeys(
  { store }: SupportEnvironment,
  partnerId: string,
  attempts: readonly OwnAttempt[],
): Promise<OwnAttempt[]> {
  const signing = new Set(attempts.flatMap(({ key_id }) => key_id ?? []));
  const own = await ownKeysAmong(store.db, partnerId, [...signing]);
  return attempts.map((attempt) =>
    attempt.key_id !== null && own.has(attempt.key_id)
      ? attempt
      : { ...attempt, key_id: null, key_fingerprint: null },
  );
}
