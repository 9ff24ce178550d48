/**
 * 0014: the latest test event of each midoffice, with what was sent and what came back; and an index of the few
 * midoffices that are paused, which the console's first page lists.
 */
import { sql } from 'kysely';
import type { Db } from './migration.ts';

export async function createTestEvents(db: Db): Promise<void> {
  await db.schema
    .createTable('test_event')
    .ifNotExists()
    .addColumn('midoffice_id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('attempt', 'text', (c) => c.notNull())
    .execute();
  await sql`create index if not exists midoffice_paused on midoffice (id, name)
             where paused = 1`.execute(db);
}
