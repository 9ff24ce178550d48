/** Everything that an import can take in, as NDJSON. Importing it again where it came from changes nothing. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { catalogue, defaultGrant } from '../../base/catalogue.ts';
import type { Grant } from '../../base/grants.ts';
import { readPages } from '../../base/pages.ts';
import { previousKeysOf } from '../../base/sealing/previous-keys.ts';
import { openHeaders } from '../../delivery/webhook-headers.ts';
import { openPair } from '../../receiver/client-certificate.ts';
import type { ApiKeyRow, Database, MidofficeRow, PartnerRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { readGrantSet } from '../grants/queries.ts';
import { key } from '../keys/key.ts';
import { midoffice } from '../midoffices/midoffice.ts';
import { partner } from '../partners/partner.ts';
import type { RecordTable } from '../record.ts';
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
import { readExported, readRefsOfIds } from './queries.ts';

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
  const { db } = store;
  const pagesOf = <Row extends object>(kind: RecordTable<Row>) =>
    readPages<Row>(PAGE, (last, limit) =>
      readExported(db, kind, {
        after: last?.[kind.key] as string | undefined,
        limit,
        createdUntilMs: nowMs,
      }),
    );
  const refsIn = <Row>(rows: readonly Row[], column: keyof Row, kind: 'partner' | 'midoffice') => {
    const ids = new Set(rows.flatMap((row) => (row[column] as string | null) ?? []));
    return readRefsOfIds(db, kind, [...ids]);
  };
  for await (const rows of pagesOf(partner)) {
    const refs = await refsIn(rows, 'id', 'partner');
    const midofficeRefs = await refsIn(rows, 'midoffice_id', 'midoffice');
    yield textOf(rows.map((row) => partnerLine(row, refs, midofficeRefs)));
  }
  const readGrants = grantReader(db);
  for await (const rows of pagesOf(key)) {
    const refs = await refsIn(rows, 'partner_id', 'partner');
    let lines: Line[] = [];
    for (const row of rows) {
      const grants = await readGrants(row.grant_set);
      lines.push(...keyLines(environment, row, refs, grants, withApiKeys));
      if (lines.length < LINES_AT_ONCE) continue;
      yield textOf(lines);
      lines = [];
      await nextTurn();
    }
    yield textOf(lines);
  }
  for await (const rows of pagesOf(midoffice)) {
    const refs = await refsIn(rows, 'id', 'midoffice');
    yield textOf(rows.map((row) => midofficeLine(environment, row, refs, withApiKeys)));
  }
}

/** By the id of a record: the ref under which it was imported. */
type Refs = ReadonlyMap<string, string>;

function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function partnerLine(row: PartnerRow, refs: Refs, midofficeRefs: Refs): PartnerLine {
  const { id, midoffice_id } = row;
  return {
    kind: 'partner',
    ref: refs.get(id) ?? id,
    id,
    ...exportedFrom(partner, row),
    midoffice_ref: midoffice_id && (midofficeRefs.get(midoffice_id) ?? midoffice_id),
  };
}

/** The key, and a line for each grant that differs from the catalogue's. */
function keyLines(
  { vault, clock }: SupportEnvironment,
  row: ApiKeyRow,
  partnerRefs: Refs,
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
    partner_ref: partnerRefs.get(row.partner_id) ?? row.partner_id,
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
  row: MidofficeRow,
  refs: Refs,
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
    ref: refs.get(id) ?? id,
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
