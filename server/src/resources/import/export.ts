/** Everything that an import can take in, as NDJSON. Importing it again where it came from changes nothing. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalogue, defaultGrant } from '../../base/catalogue.ts';
import type { Grant } from '../../base/grants.ts';
import { readPages } from '../../base/pages.ts';
import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import { openHeaders } from '../../delivery/webhook-headers.ts';
import { openPair } from '../../receiver/client-certificate.ts';
import type { Database } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { readGrantSet } from '../grants/queries.ts';
import { key } from '../keys/key.ts';
import { midoffice } from '../midoffices/midoffice.ts';
import { partner } from '../partners/partner.ts';
import {
  type ExportedKey,
  type ExportedMidoffice,
  type ExportedPartner,
  exportKeys,
  exportMidoffices,
  exportPartners,
} from './export-pages.ts';
import { exportedFrom } from './imported-fields.ts';
import {
  FORMAT_VERSION,
  type GrantLine,
  HEADER_KIND,
  type HeaderLine,
  type KeyLine,
  type Line,
  type MidofficeLine,
  type PartnerLine,
} from './lines.ts';

const PAGE = 250;
/** A key may have a line for each endpoint. So many take a few milliseconds of the thread that delivers, too. */
const LINES_AT_ONCE = 500;
const MOST_SETS = 1_000;

/** The audit must say who took API keys, header values and private keys out, before the first of them leaves. */
export async function auditExport(
  { store }: SupportEnvironment,
  actor: string,
  withApiKeys: boolean,
): Promise<void> {
  if (!withApiKeys) return;
  await store.change(actor, async ({ audit }) => {
    await audit('records.export', 'records', null, { api_keys: true });
  });
}

/** Each part is the text of many lines. */
export async function* exportRecords(
  environment: SupportEnvironment,
  withApiKeys: boolean,
): AsyncGenerator<string> {
  const { name, store, clock } = environment;
  const nowMs = clock.now();
  const header = {
    kind: HEADER_KIND,
    version: FORMAT_VERSION,
    environment: name,
    exported_at: new Date(nowMs).toISOString(),
    api_keys: withApiKeys,
  } satisfies HeaderLine & Record<string, unknown>;
  yield textOf([header]);
  const partners = readPages<ExportedPartner>(PAGE, (last, limit) =>
    exportPartners(store.db, { after: last?.id, limit, createdUntilMs: nowMs }),
  );
  for await (const rows of partners) yield textOf(rows.map(partnerLine));
  const readGrants = grantReader(store.db);
  const keys = readPages<ExportedKey>(PAGE, (last, limit) =>
    exportKeys(store.db, { after: last?.key_id, limit, createdUntilMs: nowMs }),
  );
  for await (const rows of keys) {
    let lines: Line[] = [];
    for (const row of rows) {
      lines.push(...keyLines(environment, row, await readGrants(row.grant_set), withApiKeys));
      if (lines.length < LINES_AT_ONCE) continue;
      yield textOf(lines);
      lines = [];
      await nextTurn();
    }
    yield textOf(lines);
  }
  const midoffices = readPages<ExportedMidoffice>(PAGE, (last, limit) =>
    exportMidoffices(store.db, { after: last?.id, limit, createdUntilMs: nowMs }),
  );
  for await (const rows of midoffices) {
    yield textOf(rows.map((row) => midofficeLine(environment, row, withApiKeys)));
  }
}

function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function partnerLine(row: ExportedPartner): PartnerLine {
  const { id, midoffice_id } = row;
  return {
    kind: 'partner',
    ref: row.ref ?? id,
    id,
    ...exportedFrom(partner, row),
    midoffice_ref: row.midoffice_ref ?? midoffice_id,
  };
}

/** The key, and a line for each grant that differs from the catalogue's. */
function keyLines(
  { vault, clock }: SupportEnvironment,
  row: ExportedKey,
  grants: readonly Grant[],
  withApiKeys: boolean,
): (KeyLine | GrantLine)[] {
  const { key_id: keyId } = row;
  const inForce = previousKeysOf(row).filter(({ untilMs }) => untilMs > clock.now());
  const secrets = withApiKeys && {
    api_key: vault.open(keyId, row.sealed_key),
    ...(inForce.length > 0 && {
      previous_api_keys: inForce.map(({ sealed, untilMs }) => ({
        api_key: vault.open(keyId, sealed),
        valid_until: new Date(untilMs).toISOString(),
      })),
    }),
  };
  const line: KeyLine = {
    kind: 'key',
    ref: keyId,
    key_id: keyId,
    partner_ref: row.partner_ref ?? row.partner_id,
    ...secrets,
    ...exportedFrom(key, row),
    ...(grants.length < catalogue.length && { endpoints: grants.map(({ endpoint }) => endpoint) }),
  };
  const special = grants.filter((grant) => !isDefault(grant));
  return [line, ...special.map((grant) => ({ kind: 'grant' as const, key_ref: keyId, ...grant }))];
}

function isDefault(grant: Grant): boolean {
  const usual = defaultGrant(grant.endpoint);
  return (Object.keys(usual) as (keyof Grant)[]).every((name) => usual[name] === grant[name]);
}

function midofficeLine(
  { vault }: SupportEnvironment,
  row: ExportedMidoffice,
  withApiKeys: boolean,
): MidofficeLine {
  const { id, signing_key_id } = row;
  const {
    headers: _headers,
    client_certificate: _certificate,
    ...fields
  } = exportedFrom(midoffice, row);
  const { client_certificate: pair } = row;
  return {
    kind: 'midoffice',
    ref: row.ref ?? id,
    id,
    ...fields,
    // An import that leaves them out keeps those that the midoffice has.
    ...(withApiKeys && {
      headers: openHeaders(vault, id, row.headers),
      client_certificate: pair === null ? null : openPair(vault, id, pair),
    }),
    signing_key_ref: signing_key_id,
  };
}

/** Most keys share a few sets. */
function grantReader(db: Database): (id: string) => Promise<readonly Grant[]> {
  const kept = new Map<string, readonly Grant[]>();
  return async (id) => {
    const known = kept.get(id);
    if (known) return known;
    const { grants } = await readGrantSet(db, id);
    if (kept.size >= MOST_SETS) kept.clear();
    kept.set(id, grants);
    return grants;
  };
}
