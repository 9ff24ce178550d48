/** What PostgreSQL says about a statement: `explain (analyze, format json)`. */
export interface Plan {
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Join Filter'?: number;
  Plans?: Plan[];
}

export function planIn(rows: readonly unknown[]): Plan {
  const [{ Plan }] = (rows[0] as { 'QUERY PLAN': [{ Plan: Plan }] })['QUERY PLAN'];
  return Plan;
}

/** The rows that each step read, including those that did not match. */
export function readsOf(plan: Plan): number[] {
  const removed =
    (plan['Rows Removed by Filter'] ?? 0) + (plan['Rows Removed by Join Filter'] ?? 0);
  const own = (plan['Actual Rows'] + removed) * plan['Actual Loops'];
  return [own, ...(plan.Plans ?? []).flatMap(readsOf)];
}

export function allReadsOf(plan: Plan): number {
  return readsOf(plan).reduce((sum, rows) => sum + rows, 0);
}
