/** What the next start would do to the tables of an embedded database. */
import { DatabaseSync } from 'node:sqlite';
import { type PlannedStep, plannedSteps } from '../planned-steps.ts';
import type { TableSet } from '../table-sets.ts';

export function planEmbedded(file: string, tables: TableSet): PlannedStep[] {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const rows = connection.prepare('select name from kysely_migration').all();
    const names = new Set(rows.map(({ name }) => name));
    const steps = plannedSteps(
      tables,
      (name) => names.has(name),
      () => 0,
    );
    return steps.map((one) => ({ ...one, locks: 'the next start does it before it serves' }));
  } finally {
    connection.close();
  }
}
