/** Reads one line after another into the staging area. Everything that a line alone can tell is checked here. */
import { OVERVIEW } from '../../base/catalogue.ts';
import type { Grant } from '../../base/grants.ts';
import { type PreviousKeyColumns, toPreviousKeyColumns } from '../../base/sealing/previous-keys.ts';
import type { Vault } from '../../base/sealing/vault.ts';
import type { ApiKeyRow, MidofficeRow, PartnerRow } from '../../store/schema.ts';
import type { EnvironmentData } from '../environment.ts';
import { readEndpoint } from '../grants/grant.ts';
import { key } from '../keys/key.ts';
import { checkSecrets, type MidofficeSecrets } from '../midoffices/change-midoffice.ts';
import { midoffice } from '../midoffices/midoffice.ts';
import { partner } from '../partners/partner.ts';
import { invalidField, Problem, problems, readTime } from '../problem.ts';
import { columnsOf } from '../record.ts';
import type { Findings } from './findings.ts';
import {
  type CheckLine,
  FORMAT_VERSION,
  type GrantLine,
  HEADER_KIND,
  type HeaderLine,
  type KeyLine,
  type Line,
  type LineKind,
  type MidofficeLine,
  type PartnerLine,
  recordKinds,
} from './lines.ts';
import type { ReadLine } from './read-lines.ts';
import type { StagedRecord, Staging } from './staging.ts';

/** The columns that a line gives to a record. */
export type StagedPartner = Partial<PartnerRow>;
/** `sealed`: its `MidofficeSecrets`. */
export type StagedMidoffice = Partial<MidofficeRow> & { sealed?: string };
export type StagedKey = Partial<ApiKeyRow> & { endpoints?: string[]; secret?: StagedSecret };

export interface StagedSecret {
  /** Those of a key that hold its API keys. */
  columns: Pick<ApiKeyRow, 'sealed_key' | 'digest'> & PreviousKeyColumns;
  /** Of its API key, under each master key in force: a known key may have any of them. */
  digests: string[];
}

export type StagedGrantFields = Partial<Omit<Grant, 'endpoint'>>;

export interface Stage {
  environment: Pick<EnvironmentData, 'name' | 'vault'>;
  staging: Staging;
  findings: Findings;
  checkLine: CheckLine;
}

export function stageLine(stage: Stage, { number, text, problem }: ReadLine): void {
  const { findings } = stage;
  findings.lines++;
  const value = text === undefined ? undefined : parse(text);
  if (value === undefined) {
    findings.error(number, '', problem ?? 'is not a JSON object');
    return;
  }
  const { kind } = value;
  if (!isKind(kind)) {
    const kinds = recordKinds.join(', ');
    findings.error(number, '/kind', `must be one of ${kinds}, or ${HEADER_KIND}`);
    return;
  }
  const errors = stage.checkLine(kind, value);
  try {
    if (errors.length > 0) throw new Problem('validation_failed', undefined, errors);
    stageRecord(stage, number, value as Line);
  } catch (error) {
    findings.problem(number, error);
    keepRef(stage.staging, number, kind, value);
  }
}

function stageRecord(stage: Stage, number: number, line: Line): void {
  if (line.kind === HEADER_KIND) checkHeader(stage, number, line);
  else if (line.kind === 'grant') stageGrant(stage, number, line);
  else if (line.kind === 'key') stageKey(stage, number, line);
  else if (line.kind === 'partner') stagePartner(stage, number, line);
  else stageMidoffice(stage, number, line);
}

function stageMidoffice(stage: Stage, number: number, line: MidofficeLine): void {
  const { kind, ref, id = null, signing_key_ref: target = null } = line;
  const { headers, client_certificate } = line;
  // A certificate that has expired was used elsewhere until now, and must not stop everything else.
  checkSecrets(line, 0);
  const secrets: MidofficeSecrets = { headers, client_certificate };
  const hasSecret = headers !== undefined || client_certificate !== undefined;
  const body: StagedMidoffice = {
    ...columnsOf(midoffice, line),
    ...(hasSecret && { sealed: stage.environment.vault.seal(STAGED, JSON.stringify(secrets)) }),
  };
  add(stage, { line: number, kind, ref, id, target }, body);
}

/** The midoffice may not have an id yet, so its secrets are sealed under the import until they are planned. */
const STAGED = 'import';

export function openedSecrets(vault: Vault, sealed: string | undefined): MidofficeSecrets {
  return sealed === undefined ? {} : JSON.parse(vault.open(STAGED, sealed));
}

/** An import never takes a certification away: an old file may not know about it. */
function stagePartner(stage: Stage, number: number, line: PartnerLine): void {
  const { kind, ref, id = null, midoffice_ref: target } = line;
  const { certified_at, certification_reference, ...columns } = columnsOf(partner, line);
  if (certification_reference && !line.certified_at) {
    throw invalidField('/certified_at', 'must be given with certification_reference');
  }
  const body: StagedPartner = {
    ...columns,
    ...(certified_at && { certified_at }),
    ...(certification_reference && { certification_reference }),
    ...(target === null && { midoffice_id: null }),
  };
  add(stage, { line: number, kind, ref, id, target: target ?? null }, body);
}

function checkHeader({ environment }: Stage, number: number, header: HeaderLine): void {
  if (number !== 1) throw invalidField('/kind', 'may be a header only on the first line');
  if (header.version !== FORMAT_VERSION) {
    const detail = `must be ${FORMAT_VERSION}, the version that this Bellhop knows; import the file with a newer Bellhop`;
    throw invalidField('/version', detail);
  }
  if (header.environment !== undefined && header.environment !== environment.name) {
    const detail = `must be ${environment.name}: keys belong to one environment`;
    throw invalidField('/environment', detail);
  }
}

function stageKey(stage: Stage, number: number, line: KeyLine): void {
  const { key_id: keyId, ref = keyId, partner_ref: target = null } = line;
  if (line.previous_api_keys && line.api_key === undefined) {
    throw invalidField('/api_key', 'must be given with previous_api_keys');
  }
  const endpoints = line.endpoints?.map((text, index) => readEndpoint(text, `/endpoints/${index}`));
  const body: StagedKey = {
    ...columnsOf(key, line),
    ...(endpoints && { endpoints }),
    ...(line.api_key !== undefined && {
      secret: sealed(stage.environment.vault, line.api_key, line),
    }),
  };
  add(stage, { line: number, kind: 'key', ref, id: keyId, target }, body);
}

function sealed(vault: Vault, apiKey: string, line: KeyLine): StagedSecret {
  const { key_id: keyId, previous_api_keys: previous = [] } = line;
  const columns = {
    sealed_key: vault.seal(keyId, apiKey),
    digest: vault.digest(keyId, apiKey),
    ...toPreviousKeyColumns(
      previous.map(({ api_key, valid_until }, index) => ({
        sealed: vault.seal(keyId, api_key),
        digest: vault.digest(keyId, api_key),
        untilMs: readTime(valid_until, `/previous_api_keys/${index}/valid_until`),
      })),
    ),
  };
  return { columns, digests: vault.digests(keyId, apiKey) };
}

function stageGrant({ staging }: Stage, number: number, line: GrantLine): void {
  const { kind: _kind, ref: _ref, key_ref: keyRef, endpoint: given, ...more } = line;
  const { approval_reference: approval = null, ...fields } = more;
  const endpoint = readEndpoint(given, '/endpoint');
  if (endpoint === OVERVIEW && fields.is_active === false) {
    throw invalidField(
      '/is_active',
      `must not be false: ${problems.overview_always_active.title.replace(/\.$/, '')}`,
    );
  }
  const body = JSON.stringify(fields satisfies StagedGrantFields);
  const earlier = staging.addGrant({ line: number, keyRef, endpoint, body, approval });
  if (earlier !== undefined) throw invalidField('/endpoint', grantedOn(earlier));
}

export function grantedOn(line: number): string {
  return `is granted to this key on line ${line} already`;
}

function add(
  { staging }: Stage,
  record: Pick<StagedRecord, 'line' | 'kind' | 'ref' | 'id' | 'target'>,
  body: object,
): void {
  const earlier = staging.add({ ...record, body: JSON.stringify(body) });
  if (earlier === undefined) return;
  const field = record.kind === 'key' ? '/key_id' : '/ref';
  throw invalidField(field, `is used on line ${earlier} already; each record has one line`);
}

/** So that records which refer to a line with an error are not reported as well. */
function keepRef(staging: Staging, line: number, kind: LineKind, value: Loose): void {
  if (kind === 'grant' || kind === HEADER_KIND) return;
  const ref = value.ref ?? value.key_id;
  if (typeof ref !== 'string' || !ref.isWellFormed()) return;
  staging.add({ line, kind, ref, id: null, target: null, body: '{}' }, 'invalid');
}

type Loose = Record<string, unknown>;

function parse(text: string): Loose | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Loose)
      : undefined;
  } catch {
    return undefined;
  }
}

function isKind(kind: unknown): kind is LineKind {
  return kind === HEADER_KIND || recordKinds.some((one) => one === kind);
}
