/**
 * 0011: how often keys call endpoints, by hour and by day. The primary key is the order in which a key's
 * history is read; the index by time is for the retention. No counter is indexed, so adding to a row
 * changes no index.
 */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Db } from './migration.ts';

export async function createUsageHistory(db: Db, engine: Engine): Promise<void> {
  // Half of the pages in SQLite: the rows are in the index of the primary key. In PostgreSQL, room in each
  // page lets an update stay there, and the autovacuum has less to do.
  const storage = engine === 'sqlite' ? sql`without rowid` : sql`with (fillfactor = 85)`;
  for (const table of ['usage_hour', 'usage_day']) {
    await db.schema
      .createTable(table)
      .ifNotExists()
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .addColumn('endpoint', 'text', (c) => c.notNull())
      .addColumn('admitted', 'bigint', (c) => c.notNull())
      .addColumn('refused', 'bigint', (c) => c.notNull())
      .addColumn('failed', 'bigint', (c) => c.notNull())
      .addColumn('peak_calls', 'integer')
      .addColumn('peak_share', 'double precision')
      .addPrimaryKeyConstraint(`${table}_pkey`, ['key_id', 'at', 'endpoint'])
      .modifyEnd(storage)
      .execute();
    await db.schema.createIndex(`${table}_by_time`).ifNotExists().on(table).column('at').execute();
  }
  await db.schema
    .createTable('usage_writer')
    .ifNotExists()
    .addColumn('writer', 'text', (c) => c.primaryKey().notNull())
    .addColumn('batch', 'bigint', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .execute();
}
