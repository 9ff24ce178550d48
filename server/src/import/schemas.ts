/** The lines of an import, and its report. */
import Type from 'typebox';
import { environmentNames } from '../config/settings.ts';
import { MOST_PREVIOUS_KEYS } from '../previous-keys.ts';
import { givenTime, input, orNull, reply, text, words } from '../resources/forms.ts';
import { approvalReference, endpoint, Grant } from '../resources/grants/schemas.ts';
import { apiKey, keyFields, keyId } from '../resources/keys/schemas.ts';
import { midofficeFields } from '../resources/midoffices/schemas.ts';
import { MOST_FINDINGS } from './findings.ts';
import { HEADER_KIND, type LineKind } from './lines.ts';

const ref = text(1, 200, "The sender's own name for the record.");
const idWith = (prefix: string) =>
  Type.Optional(Type.String({ pattern: `^${prefix}_[0-9a-f]{28}$` }));

/** A file for an importer of today may have come from a newer one, so a header may have other fields. */
const HeaderLine = Type.Object({
  kind: Type.Literal(HEADER_KIND),
  version: Type.Integer(),
  environment: Type.Optional(words(environmentNames)),
});

const PartnerLine = input('PartnerLine', {
  kind: Type.Literal('partner'),
  ref,
  id: idWith('par'),
  name: Type.Optional(text(1, 200)),
  integration_started_on: Type.Optional(Type.String({ format: 'date' })),
  is_new: Type.Optional(Type.Boolean()),
  suspended: Type.Optional(Type.Boolean()),
  certified_at: Type.Optional(orNull(givenTime())),
  certification_reference: Type.Optional(orNull(text(1, 200))),
  midoffice_ref: Type.Optional(orNull(ref)),
});

const KeyLine = input('KeyLine', {
  kind: Type.Literal('key'),
  ref: Type.Optional(ref),
  key_id: keyId('The id that the partner signs in with.'),
  partner_ref: Type.Optional(ref),
  api_key: Type.Optional(apiKey('The API key that the partner signs in with.')),
  previous_api_keys: Type.Optional(
    Type.Array(
      Type.Object(
        { api_key: apiKey('An earlier API key that still works.'), valid_until: givenTime() },
        { additionalProperties: false },
      ),
      { maxItems: MOST_PREVIOUS_KEYS },
    ),
  ),
  ...keyFields,
  disabled: Type.Optional(Type.Boolean()),
  revoked_at: Type.Optional(orNull(givenTime())),
  endpoints: Type.Optional(Type.Array(endpoint, { maxItems: 43 })),
});

const GrantLine = input('GrantLine', {
  ...Type.Partial(Grant).properties,
  kind: Type.Literal('grant'),
  ref: Type.Optional(ref),
  key_ref: ref,
  endpoint,
  approval_reference: Type.Optional(approvalReference),
});

const MidofficeLine = input('MidofficeLine', {
  ...Type.Partial(Type.Omit(Type.Object(midofficeFields), ['signing_key_id'])).properties,
  kind: Type.Literal('midoffice'),
  ref,
  id: idWith('mid'),
  signing_key_ref: Type.Optional(ref),
  paused: Type.Optional(Type.Boolean()),
});

export const lineSchemas: Record<LineKind, object> = {
  [HEADER_KIND]: HeaderLine,
  partner: PartnerLine,
  key: KeyLine,
  grant: GrantLine,
  midoffice: MidofficeLine,
};

/** A switch in the address: `?dry_run` is the same as `?dry_run=true`. */
export function flag(description: string) {
  return Type.Optional(words(['true', 'false', ''], { description }));
}

const Counts = reply('ImportCounts', {
  created: Type.Integer(),
  changed: Type.Integer(),
  unchanged: Type.Integer(),
  skipped: Type.Integer(),
});

export const ImportReport = reply('ImportReport', {
  dry_run: Type.Boolean({ description: 'True: nothing was changed.' }),
  lines: Type.Integer(),
  partners: Counts,
  keys: Counts,
  grants: Counts,
  midoffices: Counts,
  skipped_lines: Type.Array(Type.Object({ line: Type.Integer(), reason: Type.String() }), {
    description: `The first ${MOST_FINDINGS} lines that were skipped or imported only in part, and why.`,
  }),
});
