import { type Kysely, PostgresAdapter } from 'kysely';
import type { Schema } from '../schema.ts';

/** Only there are rows locked and have nodes a clock in common; SQLite has one writer, in one process. */
export function isPostgres(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
