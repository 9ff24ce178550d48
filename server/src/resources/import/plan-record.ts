/** What the plan of an import works on, and what happens to a record without an error. */

import type { Database } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import type { Findings } from './findings.ts';
import { changedRow, isChanged } from './imported-fields.ts';
import type { ResolvedRecord, Staging } from './staging.ts';

export interface Plan {
  environment: SupportEnvironment;
  db: Database;
  staging: Staging;
  findings: Findings;
  nowMs: number;
  /** For every raised limit whose line has none of its own. */
  approval: string | undefined;
}

const TABLES = { partner: 'partner', key: 'api_key', midoffice: 'midoffice' } as const;

/** It is created, changed, or left as it is. `more` goes with the row of a change. */
export function planRecord<Row extends object>(
  { staging, findings }: Plan,
  { line, kind }: ResolvedRecord,
  { before, after, more }: { before?: Row; after: Row; more?: object },
): void {
  const table = TABLES[kind];
  if (!before) {
    staging.decide(line, 'create', after);
    findings.count(kind, 'created');
  } else if (isChanged(table, before, after)) {
    staging.decide(line, 'change', { ...changedRow(table, before, after), ...more });
    findings.count(kind, 'changed');
  } else {
    staging.decide(line, 'unchanged');
    findings.count(kind, 'unchanged');
  }
}
