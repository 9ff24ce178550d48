/** Everything that an import can take in, as NDJSON. Importing it again where it came from changes nothing. */
import { catalogue } from '../catalogue.ts';
import { defaultGrant, type Grant } from '../grants.ts';
import { previousKeysOf } from '../previous-keys.ts';
import { isoOrNull, type SupportEnvironment } from '../resources/environment.ts';
import { readGrantSet } from '../resources/grants/queries.ts';
import { pagesAfter } from '../store/pages-after.ts';
import type { Database } from '../store/schema.ts';
import {
  type ExportedKey,
  type ExportedMidoffice,
  type ExportedPartner,
  exportKeys,
  exportMidoffices,
  exportPartners,
} from './export-pages.ts';
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
const MOST_SETS = 1_000;

/** The audit must say who took API keys out, before the first of them leaves. */
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
  const header: HeaderLine = {
    kind: HEADER_KIND,
    version: FORMAT_VERSION,
    environment: name,
    exported_at: new Date(nowMs).toISOString(),
    api_keys: withApiKeys,
  };
  yield textOf([header]);
  const pages = { limit: PAGE, createdUntilMs: nowMs };
  const byId = { first: '', size: PAGE, keyOf: ({ id }: { id: string }) => id };
  const byKeyId = { ...byId, keyOf: ({ key_id: keyId }: ExportedKey) => keyId };
  const partners = pagesAfter(byId, (after) => exportPartners(store.db, { ...pages, after }));
  for await (const rows of partners) yield textOf(rows.map(partnerLine));
  const readGrants = grantReader(store.db);
  const keys = pagesAfter(byKeyId, (after) => exportKeys(store.db, { ...pages, after }));
  for await (const rows of keys) {
    const lines: Line[] = [];
    for (const row of rows) {
      lines.push(...keyLines(environment, row, await readGrants(row.grant_set), withApiKeys));
    }
    yield textOf(lines);
  }
  const midoffices = pagesAfter(byId, (after) => exportMidoffices(store.db, { ...pages, after }));
  for await (const rows of midoffices) yield textOf(rows.map(midofficeLine));
}

function textOf(lines: readonly Line[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function partnerLine(row: ExportedPartner): PartnerLine {
  return {
    kind: 'partner',
    ref: row.ref ?? row.id,
    id: row.id,
    name: row.name,
    integration_started_on: row.integration_started_on,
    is_new: row.is_new === 1,
    suspended: row.suspended === 1,
    certified_at: isoOrNull(row.certified_at),
    certification_reference: row.certification_reference,
    midoffice_ref: row.midoffice_ref ?? row.midoffice_id,
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
  const key: KeyLine = {
    kind: 'key',
    ref: keyId,
    key_id: keyId,
    partner_ref: row.partner_ref ?? row.partner_id,
    ...secrets,
    label: row.label,
    expires_at: isoOrNull(row.expires_at),
    allowed_ips: row.allowed_ips === null ? null : JSON.parse(row.allowed_ips),
    disabled: row.disabled === 1,
    revoked_at: isoOrNull(row.revoked_at),
    ...(grants.length < catalogue.length && { endpoints: grants.map(({ endpoint }) => endpoint) }),
  };
  const special = grants.filter((grant) => !isDefault(grant));
  return [key, ...special.map((grant) => ({ kind: 'grant' as const, key_ref: keyId, ...grant }))];
}

function isDefault(grant: Grant): boolean {
  const usual = defaultGrant(grant.endpoint);
  return (Object.keys(usual) as (keyof Grant)[]).every((name) => usual[name] === grant[name]);
}

function midofficeLine(row: ExportedMidoffice): MidofficeLine {
  return {
    kind: 'midoffice',
    ref: row.ref ?? row.id,
    id: row.id,
    name: row.name,
    url: row.url,
    signing_key_ref: row.signing_key_id,
    body_form: row.body_form,
    delivery_order: row.delivery_order,
    max_in_flight: row.max_in_flight,
    paused: row.paused === 1,
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
