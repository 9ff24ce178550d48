/** When an admission was told to Redis again. */
import type { Kysely } from 'kysely';
import type { Engine } from '../engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
type Db = Kysely<any>;

export async function addRestatedAdmissions(db: Db, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  await db.schema.alterTable('admission').addColumn('restated_at_ms', 'bigint').execute();
}
