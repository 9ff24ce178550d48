/**
 * What Bellhop knows of a refused call beyond its code. This is the catalogue: what each verdict means, for
 * docs/refused-calls.md, and its sentence. Support's sentence may name persons; a partner's says who did something only
 * as "API support" or "your side".
 */
import { minuteInUtc } from '@bellhop/rules/minute-in-utc';
import { inDigits } from '@bellhop/rules/value-words';
import type { EnvironmentName } from '../../base/config/settings.ts';

export interface Facts {
  /** The fingerprint of the API key that came with the call. */
  api_key?: string;
  replaced_at?: string;
  replaced_by?: string;
  overlap_ended_at?: string;
  /** Since when it is as it was at the time of the call, and who made it so. */
  since?: string;
  by?: string;
  /** The key id that came with the call, and the environment that has a key of this id. */
  given_key_id?: string;
  environment?: EnvironmentName;
  address?: string;
  addresses_allowed?: number;
  /** The call would be let in now. */
  is_over?: boolean;
  /** Of the calls of the same key, endpoint and hour that were refused for the same reason. */
  share_of_other_addresses?: number;
}

interface VerdictKind {
  /** When it is given, for the documentation. */
  about: string;
  sentence(facts: Facts): string;
}

export const verdicts = {
  no_credentials: {
    about: 'The call had no `Authorization` header.',
    sentence: () => 'The call came without credentials.',
  },
  unreadable_credentials: {
    about: 'The `Authorization` header could not be read.',
    sentence: () =>
      'The call had an Authorization header that is not HTTP Basic with base64 of key id, colon and API key.',
  },
  key_id_unknown: {
    about: 'No key of either environment that this server knows has the key id of the call.',
    sentence: ({ given_key_id: id }) =>
      id
        ? `There is no key with the id ${id}.`
        : 'What came in the place of the key id is not the id of a key.',
  },
  key_of_other_environment: {
    about: 'The key id of the call exists in the other environment. Partners never see this.',
    sentence: ({ given_key_id: id, environment }) =>
      `Key ${id} exists in ${environment}: the call went to the wrong address, or came with the wrong key.`,
  },
  api_key_replaced: {
    about: 'The API key was replaced by a rotation, and its overlap is over.',
    sentence: ({ api_key, replaced_at, replaced_by, overlap_ended_at: end }) =>
      `The API key with the fingerprint ${api_key} was replaced ${when(replaced_at, replaced_by)}${
        end === replaced_at ? ' and stopped working at once' : `; its overlap ended ${on(end)}`
      }.`,
  },
  api_key_unknown: {
    about:
      'There is a key with this id, but the API key is neither its own nor one of the last 20 that rotations have replaced.',
    sentence: ({ api_key }) =>
      `The key exists, but the API key of the call (fingerprint ${api_key}) is neither its own nor one that was replaced.`,
  },
  key_revoked: {
    about: 'The API key was right, and the key is revoked.',
    sentence: ({ since, by }) =>
      `The API key is right, but the key was revoked ${when(since, by)}.`,
  },
  key_expired: {
    about: 'The API key was right, and the key has expired.',
    sentence: ({ since, is_over }) =>
      is_over
        ? 'The API key is right. The key had expired at the time; it works again.'
        : `The API key is right, but the key expired ${on(since)}.`,
  },
  api_key_right: {
    about: 'The API key is right now. The call came before it was, or the key has changed since.',
    sentence: ({ api_key }) =>
      `The API key of the call (fingerprint ${api_key}) is right: the key has changed since the call, and it works now.`,
  },
  too_many_failed_sign_ins: {
    about: 'Too many sign-ins had failed from the address, whatever came with this call.',
    sentence: ({ address }) =>
      `Too many sign-ins from ${address} had failed within a minute, so the credentials of this call were not looked at.`,
  },
  key_disabled: {
    about: 'The key was disabled.',
    sentence: ({ since, by, is_over }) =>
      `The key was disabled ${when(since, by)}${is_over ? '; it is enabled again' : ''}.`,
  },
  partner_suspended: {
    about: 'The partner of the key was suspended.',
    sentence: ({ since, by, is_over }) =>
      `The partner was suspended ${when(since, by)}${is_over ? '; it is no longer' : ''}.`,
  },
  address_not_allowed: {
    about:
      'The allow-list of the key does not have the address. The console and the portal offer to allow it.',
    sentence: ({ address, addresses_allowed: count = 0, is_over }) =>
      is_over
        ? `The allow-list of the key did not have ${address}; it has now.`
        : `The allow-list of the key has ${count === 1 ? 'one entry' : `${inDigits(count)} entries`}, and ${address} is not in it.`,
  },
  path_unknown: {
    about: 'The path is none of the 43 endpoints.',
    sentence: () => 'No endpoint has this path.',
  },
  endpoint_never_granted: {
    about: 'The key never had the endpoint, as far as the audit knows.',
    sentence: ({ is_over }) =>
      `The key did not have this endpoint${is_over ? '; it was granted since' : ', and never had it'}.`,
  },
  endpoint_withdrawn: {
    about: 'The endpoint was withdrawn from the key.',
    sentence: ({ since, by, is_over }) =>
      `The endpoint was withdrawn from the key ${when(since, by)}${is_over ? '; it was granted again' : ''}.`,
  },
  endpoint_switched_off: {
    about: 'The key has the endpoint, and it is switched off.',
    sentence: ({ since, by, is_over }) =>
      `The endpoint was switched off for the key ${when(since, by)}${is_over ? '; it is on again' : ''}.`,
  },
  limit_used_up: {
    about:
      'The limit of the key and endpoint was used up. The share of other addresses tells whether another program of the partner uses it up.',
    sentence: ({ share_of_other_addresses: share = 0 }) =>
      share === 0
        ? 'The limit was used up; all calls that were refused in that hour came from this address.'
        : `The limit was used up. ${Math.max(1, Math.round(share * 100))} % of the calls that were refused in that hour came from other addresses.`,
  },
  no_more_known: {
    about: 'Everything that Bellhop knows is in the code, and the sentence is its meaning.',
    sentence: () => '',
  },
} as const satisfies Record<string, VerdictKind>;

export type VerdictCode = keyof typeof verdicts;

export function on(iso: string | undefined): string {
  return iso === undefined ? 'at a time that is not known' : `on ${minuteInUtc(iso)}`;
}

function when(iso: string | undefined, by: string | undefined): string {
  return by === undefined ? on(iso) : `${on(iso)} by ${by}`;
}
