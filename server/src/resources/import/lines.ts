/**
 * The format of imports and exports: NDJSON, one record per line, in any order. Records refer to each other by `ref`,
 * which is the sender's own. A field that a line leaves out keeps its value, or gets its default in a new record.
 */
import type { Static } from 'typebox';
import { environmentNames } from '../../base/config/settings.ts';
import { MOST_PREVIOUS_KEYS } from '../../base/sealing/previous-keys.ts';
import { givenTime, input, name, orNull, words } from '../forms.ts';
import { approvalReference, endpoint, Grant } from '../grants/grant.ts';
import { apiKey, key, keyId } from '../keys/key.ts';
import { midoffice } from '../midoffices/midoffice.ts';
import { partner } from '../partners/partner.ts';
import { Type } from '../type.ts';
import { importedOf } from './imported-fields.ts';

/**
 * Version 1 is what a file without a header has. A change that an older Bellhop would misread gets a new number; a
 * file with a number that this Bellhop does not know is refused.
 */
export const FORMAT_VERSION = 1;
export const HEADER_KIND = 'bellhop-export';

/** Without a name of its own, the record gets this one. */
const ref = name(1, 200, "The sender's own name for the record.");

/** A new record keeps the id that it had in Bellhop, so that order events can go on using it. */
const idWith = (prefix: string) =>
  Type.Optional(Type.String({ pattern: `^${prefix}_[0-9a-f]{28}$` }));

/** May be the first line. A file may come from a newer Bellhop, so a header may have other fields. */
const HeaderLine = Type.Object({
  kind: Type.Literal(HEADER_KIND),
  version: Type.Integer(),
  /** A file of the other environment is refused. */
  environment: Type.Optional(words(environmentNames)),
});

const PartnerLine = input('PartnerLine', {
  kind: Type.Literal('partner'),
  ref,
  id: idWith('par'),
  ...importedOf(partner),
  /** Null takes the midoffice away. */
  midoffice_ref: Type.Optional(orNull(ref)),
});

const KeyLine = input('KeyLine', {
  kind: Type.Literal('key'),
  /** The key id if not given. */
  ref: Type.Optional(ref),
  key_id: keyId('The id that the partner signs in with.'),
  partner_ref: Type.Optional(ref),
  api_key: Type.Optional(apiKey('The API key that the partner signs in with.')),
  /** Those that still work after a rotation, the newest first. */
  previous_api_keys: Type.Optional(
    Type.Array(
      Type.Object(
        { api_key: apiKey('An earlier API key that still works.'), valid_until: givenTime() },
        { additionalProperties: false },
      ),
      { maxItems: MOST_PREVIOUS_KEYS },
    ),
  ),
  ...importedOf(key),
  /** All that the key may call. Without it, a new key gets the whole catalogue. */
  endpoints: Type.Optional(Type.Array(endpoint, { maxItems: 43 })),
});

const GrantLine = input('GrantLine', {
  ...Type.Partial(Grant).properties,
  kind: Type.Literal('grant'),
  ref: Type.Optional(ref),
  key_ref: ref,
  endpoint,
  /** In production, for a limit above the catalogue's or what the key last had. An export has none. */
  approval_reference: Type.Optional(approvalReference),
});

const MidofficeLine = input('MidofficeLine', {
  kind: Type.Literal('midoffice'),
  ref,
  id: idWith('mid'),
  ...importedOf(midoffice),
  signing_key_ref: Type.Optional(ref),
});

export type HeaderLine = Static<typeof HeaderLine>;
export type PartnerLine = Static<typeof PartnerLine>;
export type KeyLine = Static<typeof KeyLine>;
export type GrantLine = Static<typeof GrantLine>;
export type MidofficeLine = Static<typeof MidofficeLine>;

export const lineSchemas = {
  [HEADER_KIND]: HeaderLine,
  partner: PartnerLine,
  key: KeyLine,
  grant: GrantLine,
  midoffice: MidofficeLine,
};

export const recordKinds = ['partner', 'key', 'grant', 'midoffice'] as const;
export type RecordKind = (typeof recordKinds)[number];
export type LineKind = keyof typeof lineSchemas;
export type Line = HeaderLine | PartnerLine | KeyLine | GrantLine | MidofficeLine;

/** Checks the form of a line; no errors means that it has the type of its kind. */
export type CheckLine = (
  kind: LineKind,
  value: object,
) => readonly { field: string; detail: string }[];
