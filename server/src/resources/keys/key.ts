/** A key: its fields, what callers send and are shown of it, and how to find one. Its API key is shown only once. */
import { EXPIRING_DAYS, UNUSED_DAYS } from '@bellhop/rules/lists';
import type { Static } from 'typebox';
import { parseCidr } from '../../base/addresses/addresses.ts';
import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import { DAY_MS } from '../../gateway/usage-history/counts.ts';
import type { ApiKeyRow, Database } from '../../store/schema.ts';
import {
  flag,
  hidden,
  hiddenOrNull,
  imported,
  moment,
  narrowing,
  orNull,
  ownId,
  textOf,
} from '../columns.ts';
import type { ShownCount } from '../count-queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import * as forms from '../forms.ts';
import { endpoint } from '../grants/grant.ts';
import { EXPIRES, USED } from '../list-queries.ts';
import type { Page } from '../page.ts';
import { invalidField, Problem } from '../problem.ts';
import { derived, optionalOf, record, show, shownOf } from '../record.ts';
import { type ListRequest, recordList } from '../record-list.ts';
import { Type } from '../type.ts';
import { keys } from './queries.ts';

export const MOST_ALLOWED_IPS = 1_000;

const examples = [[story.caller, '2001:db8::/32']];

/** Stored as JSON. */
const addresses = {
  type: 'text' as const,
  shown: Type.Array(Type.String(), { examples }),
  given: Type.Array(Type.String({ maxLength: 64, format: 'cidr' }), {
    maxItems: MOST_ALLOWED_IPS,
    examples,
    description:
      'Addresses and CIDRs, IPv4 and IPv6, that may use the key; null allows every address.',
  }),
  show: (stored: string) => JSON.parse(stored) as string[],
  read(given: string[], field: string): string {
    for (const [index, one] of given.entries()) {
      if (!parseCidr(one)) {
        throw invalidField(`${field}/${index}`, `must be an address or a CIDR, not "${one}"`);
      }
    }
    return JSON.stringify(given);
  },
};

/** Written by the usage history, at most once a day for each key. */
const lastUse = {
  type: 'bigint' as const,
  initial: null,
  shown: forms.orNull(
    Type.String({
      format: 'date',
      description: 'The day of its last call, in UTC; null if there was none.',
    }),
  ),
  show: (stored: number | null) =>
    stored === null ? null : new Date(stored).toISOString().slice(0, 10),
};

/** As the indexes of such keys spell it. One that expired is among them. */
const IN_USE = 'revoked_at is null and disabled = 0';

export const key = record<ApiKeyRow>()('api_key', 'key_id', {
  key_id: ownId(story.keyId),
  partner_id: ownId(story.partnerId),
  label: imported(orNull(textOf(forms.name(1, 200), story.key))),
  disabled: narrowing({ disabled: 'disabled = 1 and revoked_at is null' }, imported(flag())),
  expires_at: narrowing(
    {
      active: (nowMs) => `${IN_USE} and ${EXPIRES} > ${nowMs}`,
      expiring: (nowMs) =>
        `${IN_USE} and ${EXPIRES} > ${nowMs} and ${EXPIRES} <= ${nowMs + EXPIRING_DAYS * DAY_MS}`,
      expired: (nowMs) => `${IN_USE} and ${EXPIRES} <= ${nowMs}`,
    },
    imported(orNull(moment())),
  ),
  allowed_ips: imported(orNull(addresses)),
  sealed_key: hidden('text'),
  digest: hidden('text'),
  previous_sealed_key: hiddenOrNull('text'),
  previous_digest: hiddenOrNull('text'),
  previous_until: hiddenOrNull('bigint'),
  earlier_keys: hiddenOrNull('text'),
  previous_key_valid_until: derived(
    forms.orNull(
      Type.String({
        format: 'date-time',
        description:
          'When the last of the earlier API keys stops working; null if there is none. May be in the past.',
      }),
    ),
    (row: ApiKeyRow) => overlapEnds(row).toSorted().at(-1) ?? null,
  ),
  overlap_ends: derived(
    Type.Array(forms.time, {
      description:
        'When each of the earlier API keys stops working, that of the last rotation first.',
    }),
    overlapEnds,
  ),
  revoked_at: narrowing({ revoked: 'revoked_at is not null' }, imported(orNull(moment()))),
  grant_set: imported(hidden('text')),
  created_at: moment(),
  last_used_on: narrowing(
    { unused: (nowMs) => `${IN_USE} and ${USED} <= ${nowMs - UNUSED_DAYS * DAY_MS}` },
    lastUse,
  ),
});

function overlapEnds(row: ApiKeyRow): string[] {
  return previousKeysOf(row).map(({ untilMs }) => new Date(untilMs).toISOString());
}

export const Key = forms.reply('Key', shownOf(key));
export type Key = Static<typeof Key>;

export const KeyWithSecret = forms.reply('KeyWithSecret', {
  key_id: like(story.keyId),
  api_key: like(story.apiKey, 'Shown only this once. A UUID, unless the key was taken over.'),
  ...Type.Omit(Key, ['key_id']).properties,
});
export type KeyWithSecret = Static<typeof KeyWithSecret>;

export function keyId(description: string) {
  return Type.String({ format: 'key-id', description });
}

export function apiKey(description: string) {
  return Type.String({ format: 'api-key', description });
}

export const NewKey = forms.input(
  'NewKey',
  {
    ...optionalOf(key, ['label', 'expires_at', 'allowed_ips']),
    // Null, because Java clients of openapi-generator send an optional list as an empty one unless it may be null.
    endpoints: Type.Optional(
      like(
        [story.endpoint, 'api/b2b/v3/overview/'],
        forms.orNull(
          Type.Array(endpoint, {
            maxItems: 43,
            description:
              'A subset of the catalogue, which always includes `overview/`. The whole catalogue if not given or null.',
          }),
        ),
      ),
    ),
    key_id: Type.Optional(
      keyId('The id of an existing key to take over; needs `api_key` and the role admin.'),
    ),
    api_key: Type.Optional(apiKey('The API key that the partner uses with this `key_id`.')),
  },
  { dependentRequired: { key_id: ['api_key'], api_key: ['key_id'] } },
);
export type NewKey = Static<typeof NewKey>;

export const KeyChanges = forms.input(
  'KeyChanges',
  optionalOf(key, ['label', 'expires_at', 'allowed_ips', 'disabled']),
  { minProperties: 1 },
);
export type KeyChanges = Static<typeof KeyChanges>;

export function showKey(row: ApiKeyRow): Key {
  return show(key, row);
}

/** With its API key, when it is created or rotated. */
export function showSecret(row: ApiKeyRow, apiKey: string): KeyWithSecret {
  const { key_id, ...rest } = showKey(row);
  return { key_id, api_key: apiKey, ...rest };
}

export const findKey = keys.find;

export async function findUnrevokedKey(db: Database, keyId: string): Promise<ApiKeyRow> {
  return unrevoked(await findKey(db, keyId));
}

/** Other changes of the key and its grants wait until the end of the transaction. */
export async function keyToChange(db: Database, keyId: string): Promise<ApiKeyRow> {
  return unrevoked(await keys.findToChange(db, keyId));
}

function unrevoked(row: ApiKeyRow): ApiKeyRow {
  if (row.revoked_at !== null) throw new Problem('key_revoked');
  return row;
}

export async function getKey({ store }: SupportEnvironment, keyId: string): Promise<Key> {
  return showKey(await findKey(store.db, keyId));
}

export const keyList = recordList('keys', key, {
  active: 'can be used now',
  expiring: `active, and expires within ${EXPIRING_DAYS} days`,
  expired: 'neither revoked nor disabled, but expired',
  unused: `neither revoked nor disabled, older than ${UNUSED_DAYS} days, and without a call for as long`,
  disabled: 'disabled, but not revoked',
  revoked: 'revoked for good',
});

export const keyFilter = { partner_id: forms.filter() };

export interface KeySearch {
  partner_id?: string | undefined;
}

export async function listKeys(
  environment: SupportEnvironment,
  request: ListRequest<'keys'> & KeySearch,
): Promise<Page<Key>> {
  return keyList.page(environment, request, { partner_id: request.partner_id }, showKey);
}

export async function countListedKeys(
  environment: SupportEnvironment,
  { only, ...search }: KeySearch & Pick<ListRequest<'keys'>, 'only'>,
): Promise<ShownCount> {
  return keyList.count(environment, search, only);
}
