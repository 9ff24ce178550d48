/**
 * What migrations share. A released migration is never edited, so it imports no code that may change: it spells
 * out its own SQL.
 */
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema as it was when it was written.
export type Db = Kysely<any>;

/** Runs in a transaction together with the record that it was done. On PostgreSQL, the search path is its schema. */
export type Migration = (db: Db, engine: Engine) => Promise<void>;

export async function run(db: Db, statements: readonly string[]): Promise<void> {
  for (const statement of statements) await sql.raw(statement).execute(db);
}
