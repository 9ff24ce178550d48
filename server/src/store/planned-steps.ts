/** What is missing in the tables of a database, step by step. */
import type { Migration, Step } from './migrations/migration.ts';
import type { TableSet } from './table-sets.ts';

export interface PlannedStep {
  migration: string;
  what: string;
  /** Who waits for it. */
  locks: string;
}

/** `isDone` knows the migrations that the database has had; `stepsDone` those of the one that is under way. */
export function plannedSteps(
  { migrations }: TableSet,
  isDone: (migration: string) => boolean,
  stepsDone: (migration: string) => number,
): PlannedStep[] {
  return Object.entries(migrations).flatMap(([migration, one]) =>
    isDone(migration) ? [] : stepsOf(migration, one).slice(stepsDone(migration)),
  );
}

function stepsOf(migration: string, one: Migration): PlannedStep[] {
  if (typeof one === 'function') {
    return [{ migration, what: 'create the tables', locks: 'none: nobody uses them yet' }];
  }
  return one.map((step) => ({ migration, ...describeStep(step) }));
}

export function describeStep(step: Step): Pick<PlannedStep, 'what' | 'locks'> {
  const { table } = step;
  if (step.kind === 'index') {
    return { what: `build the index ${step.name} of ${table}`, locks: 'none that calls wait for' };
  }
  if (step.kind === 'fill') {
    return { what: `fill in rows of ${table}`, locks: 'a few rows at a time' };
  }
  return { what: `change ${table}`, locks: `${table}, for less than a second` };
}
