/** 0003: when a token expires, and when it was last used. */
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
type Db = Kysely<any>;

export async function addTokenTimes(db: Db, engine: Engine): Promise<void> {
  for (const column of ['expires_at', 'last_used_at']) {
    await addColumn(db, engine, { table: 'token', column, type: 'bigint' });
  }
}

/** Can run again: Kysely runs migrations of SQLite outside a transaction, so a crash may stop it halfway. */
export async function addColumn(
  db: Db,
  engine: Engine,
  { table, column, type }: { table: string; column: string; type: 'bigint' | 'text' },
): Promise<void> {
  if (engine === 'sqlite') {
    const { rows } = await sql<{ name: string }>`
      select name from pragma_table_info(${table})`.execute(db);
    if (rows.some(({ name }) => name === column)) return;
  }
  await db.schema.alterTable(table).addColumn(column, type).execute();
}
