import Type from 'typebox';
import { MOST_PREVIOUS_KEYS } from '../../previous-keys.ts';
import { givenTime, input, orNull, reply, text, time } from '../forms.ts';
import { endpoint } from '../grants/schemas.ts';
import { LONGEST_OVERLAP_SECONDS } from './rotate-key.ts';

const MOST_ALLOWED_IPS = 1_000;

export const keyFields = {
  label: Type.Optional(orNull(text(1, 200))),
  expires_at: Type.Optional(orNull(givenTime())),
  allowed_ips: Type.Optional(
    orNull(
      Type.Array(Type.String({ maxLength: 64, format: 'cidr' }), {
        maxItems: MOST_ALLOWED_IPS,
        description:
          'Addresses and CIDRs, IPv4 and IPv6, that may use the key; null allows every address.',
      }),
    ),
  ),
};

export function keyId(description: string) {
  return Type.String({ format: 'key-id', description });
}

export function apiKey(description: string) {
  return Type.String({ format: 'api-key', description });
}

export const NewKey = input(
  'NewKey',
  {
    ...keyFields,
    // Null, because Java clients of openapi-generator send an optional list as an empty one unless it may be null.
    endpoints: Type.Optional(
      orNull(
        Type.Array(endpoint, {
          maxItems: 43,
          description:
            'A subset of the catalogue, which always includes `overview/`. The whole catalogue if not given or null.',
        }),
      ),
    ),
    key_id: Type.Optional(
      keyId('The id of an existing key to take over; needs `api_key` and the role admin.'),
    ),
    api_key: Type.Optional(apiKey('The API key that the partner uses with this `key_id`.')),
  },
  { dependentRequired: { key_id: ['api_key'], api_key: ['key_id'] } },
);

export const KeyChanges = input(
  'KeyChanges',
  { ...keyFields, disabled: Type.Optional(Type.Boolean()) },
  { minProperties: 1 },
);

export const Key = reply('Key', {
  key_id: Type.String(),
  partner_id: Type.String(),
  label: orNull(Type.String()),
  disabled: Type.Boolean(),
  expires_at: orNull(time),
  allowed_ips: orNull(Type.Array(Type.String())),
  previous_key_valid_until: orNull(
    Type.String({
      format: 'date-time',
      description:
        'When the last of the earlier API keys stops working; null if there is none. May be in the past.',
    }),
  ),
  overlap_ends: Type.Array(time, {
    description:
      'When each of the earlier API keys stops working, that of the last rotation first.',
  }),
  revoked_at: orNull(time),
  created_at: time,
});

export const KeyWithSecret = reply('KeyWithSecret', {
  key_id: Type.String(),
  api_key: Type.String({
    description: 'Shown only this once. A UUID, unless the key was taken over.',
  }),
  ...Type.Omit(Key, ['key_id']).properties,
});

export const Rotation = input('Rotation', {
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_OVERLAP_SECONDS,
      description: `How long the API key that is replaced keeps working; one day if not given. Earlier ones keep working until their own overlap ends. At most ${MOST_PREVIOUS_KEYS} work beside the new one.`,
    }),
  ),
  end_overlaps: Type.Optional(
    Type.Boolean({
      description:
        'Ends the overlaps of earlier rotations now, for example because an API key has leaked.',
    }),
  ),
});
