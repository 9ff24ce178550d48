/** What happens to a record that has no error: it is created, changed, or left as it is. */
import { changedRow, isChanged } from './changed-rows.ts';
import type { Plan } from './plan.ts';
import type { ResolvedRecord } from './staging.ts';

const TABLES = { partner: 'partner', key: 'api_key', midoffice: 'midoffice' } as const;

/** `more` goes with the row of a change. */
export function settle<Row extends object>(
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
