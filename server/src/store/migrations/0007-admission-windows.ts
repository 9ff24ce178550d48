/** The window that an admission was counted in. */
import type { Kysely } from 'kysely';
import type { Engine } from '../engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
type Db = Kysely<any>;

export async function addAdmissionWindows(db: Db, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  await db.schema
    .alterTable('admission')
    .addColumn('requests', 'integer')
    .addColumn('span_ms', 'bigint')
    .addColumn('past', 'jsonb')
    .addColumn('id', 'text')
    .addColumn('epoch', 'text')
    .execute();
}
