/** What the plan of an import works on, and what becomes of each of its records. */
import type { Database, Schema } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { keys } from '../keys/queries.ts';
import { midoffices } from '../midoffices/queries.ts';
import { partners } from '../partners/queries.ts';
import { type Findings, type LineError, noSuch } from './findings.ts';
import { isChanged, REFERRED, type StagedKind } from './imported-fields.ts';
import { readIdsOfRefs } from './queries.ts';
import type { LinkedRecord, Staging } from './staging.ts';

export interface Plan {
  environment: SupportEnvironment;
  db: Database;
  staging: Staging;
  findings: Findings;
  nowMs: number;
  /** For every raised limit whose line has none of its own. */
  approval: string | undefined;
}

const rows = { partner: partners, key: keys, midoffice: midoffices };
type Rows = { partner: Schema['partner']; key: Schema['api_key']; midoffice: Schema['midoffice'] };

/** A record of the file, and the same record as it is here. */
export type Compared<Row> = [record: LinkedRecord, before: Row | undefined];

/**
 * The records without an error so far, a page at a time. A reference leads to a record of the file, or else to one that
 * exists here already: to a record of an earlier file by its ref, and to any other by its id.
 */
export async function* compared<Kind extends StagedKind>(
  { db, staging }: Plan,
  kind: Kind,
): AsyncGenerator<Compared<Rows[Kind]>[]> {
  for await (const all of staging.pages(kind)) {
    const page = all.filter(({ action }) => action !== 'invalid');
    const outside = page.filter(({ target, targetLine }) => target !== null && targetLine === null);
    const refs = new Set(outside.map(({ target }) => target as string));
    const found = await readIdsOfRefs(db, REFERRED[kind], [...refs]);
    for (const record of outside) record.targetId = found.get(record.target as string) ?? null;
    const ids = page.flatMap(({ id }) => id ?? []);
    const known = (await rows[kind].readAll(db, ids)) as Map<string, Rows[Kind]>;
    yield page.map((record) => [record, known.get(record.id ?? '')]);
  }
}

/** For a reference that leads nowhere. One to a line with an error is not reported as well. */
export function missingTarget(record: LinkedRecord, field: string): LineError[] {
  const { line, kind, target, targetId, targetAction } = record;
  if (target === null || targetId !== null || targetAction === 'invalid') return [];
  return [{ line, field, detail: noSuch(REFERRED[kind]) }];
}

export function refuse(
  { staging, findings }: Plan,
  record: LinkedRecord,
  errors: readonly LineError[],
): void {
  for (const { line, field, detail } of errors) findings.error(line, field, detail);
  staging.decide(record.line, 'invalid');
}

/** It is created, changed, or left as it is. `more` goes with the rows of a change. */
export function accept<Row extends object>(
  { staging, findings }: Plan,
  { line, kind, newRef }: LinkedRecord,
  before: Row | undefined,
  after: Row,
  more?: object,
): void {
  if (newRef) findings.newRefs++;
  if (!before) {
    staging.decide(line, 'create', after);
    findings.count(kind, 'created');
  } else if (isChanged(kind, before, after)) {
    staging.decide(line, 'change', { before, after, ...more });
    findings.count(kind, 'changed');
  } else {
    staging.decide(line, 'unchanged');
    findings.count(kind, 'unchanged');
  }
}
