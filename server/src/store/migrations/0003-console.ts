/**
 * 0003: what the console needs. Sessions; counters by the minute, so that charts need not read
 * deliveries; each midoffice's last attempt, which no index of attempts could find; and the indexes
 * by which lists of any length are read newest first.
 */
import type { Db } from './migration.ts';

export async function createConsoleTables(db: Db): Promise<void> {
  await db.schema
    .createTable('session')
    .addColumn('digest', 'text', (c) => c.primaryKey())
    .addColumn('token_digest', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('minute_stat')
    .addColumn('minute', 'bigint', (c) => c.primaryKey())
    .addColumn('delivered', 'bigint', (c) => c.notNull())
    .addColumn('failed_attempts', 'bigint', (c) => c.notNull())
    .addColumn('exhausted', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('last_attempt')
    .addColumn('midoffice_id', 'text', (c) => c.primaryKey())
    .addColumn('delivery_seq', 'bigint', (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .execute();
  const lists = {
    audit: ['at', 'id'],
    // The name as well: a search looks through names without reading the partners.
    partner: ['created_at', 'id', 'name'],
    api_key: ['created_at', 'key_id'],
  };
  for (const [table, columns] of Object.entries(lists)) {
    await db.schema.createIndex(`${table}_by_time`).on(table).columns(columns).execute();
  }
}
