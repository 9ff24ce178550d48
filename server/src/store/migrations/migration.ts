/**
 * What migrations share. A released migration is never edited, so it imports no code that may change: it spells
 * out its own SQL.
 *
 * Kysely runs the migrations of PostgreSQL in a transaction, but those of SQLite outside one, and records each only
 * when it has ended. After a crash on SQLite, a migration that was stopped halfway, or that is done but not
 * recorded, runs again. So it has to create things "if not exists", add columns with `addColumnOnce`, or make all
 * of its changes with `changeOnce`.
 */
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema as it was when it was written.
export type Db = Kysely<any>;

export async function addColumnOnce(
  db: Db,
  engine: Engine,
  { table, column, type }: { table: string; column: string; type: 'bigint' | 'text' },
): Promise<void> {
  if (engine === 'sqlite' && (await columnsOf(db, table)).includes(column)) return;
  await db.schema
    .alterTable(table)
    .addColumn(column, type, (c) => (engine === 'postgres' ? c.ifNotExists() : c))
    .execute();
}

/** All in one transaction. `made` is something that `change` makes, which shows that it was committed. */
export async function changeOnce(
  db: Db,
  engine: Engine,
  made: { table: string; column?: string },
  change: (transaction: Db) => Promise<void>,
): Promise<void> {
  if (engine === 'postgres') return change(db);
  const columns = await columnsOf(db, made.table);
  const isDone = made.column === undefined ? columns.length > 0 : columns.includes(made.column);
  if (!isDone) await db.transaction().execute(change);
}

/** Only on SQLite. Empty if there is no such table. */
async function columnsOf(db: Db, table: string): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select name from pragma_table_info(${table})`.execute(db);
  return rows.map(({ name }) => name);
}
