/** The latest test event of each midoffice, and which midoffices were ever tried. */
import { sql } from 'kysely';
import type { Database, TestEventRow } from '../../store/schema.ts';

/** Replaces the midoffice's earlier test event. */
export async function writeTestEvent(db: Database, row: TestEventRow): Promise<void> {
  await db
    .insertInto('test_event')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('midoffice_id').doUpdateSet({
        at: sql`excluded.at`,
        actor: sql`excluded.actor`,
        outcome: sql`excluded.outcome`,
        attempt: sql`excluded.attempt`,
      }),
    )
    .execute();
}

export async function readTestEvent(
  db: Database,
  midofficeId: string,
): Promise<TestEventRow | undefined> {
  return db
    .selectFrom('test_event')
    .selectAll()
    .where('midoffice_id', '=', midofficeId)
    .executeTakeFirst();
}

/** How the latest test event of each of these midoffices ended. Those without one are left out. */
export async function readTestOutcomes(
  db: Database,
  midofficeIds: readonly string[],
): Promise<Map<string, TestEventRow['outcome']>> {
  if (midofficeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('test_event')
    .select(['midoffice_id', 'outcome'])
    .where('midoffice_id', 'in', midofficeIds)
    .execute();
  return new Map(rows.map(({ midoffice_id, outcome }) => [midoffice_id, outcome]));
}

/** Those of these midoffices that a webhook was ever sent to. It lags by a few seconds. */
export async function attemptedMidoffices(
  db: Database,
  midofficeIds: readonly string[],
): Promise<Set<string>> {
  if (midofficeIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('last_attempt')
    .select('midoffice_id')
    .where('midoffice_id', 'in', midofficeIds)
    .execute();
  return new Set(rows.map(({ midoffice_id }) => midoffice_id));
}
