import { type Kysely, PostgresAdapter } from 'kysely';
import type { Schema } from '../schema.ts';

/** PostgreSQL has row locks and a clock that all nodes share. SQLite has one writer in one process. */
export function isPostgres(db: Kysely<Schema>): boolean {
  return db.getExecutor().adapter instanceof PostgresAdapter;
}
