/** When an admission was written to Redis again. */
import type { Engine } from '../engine.ts';
import type { Db } from './migration.ts';

export async function addRestatedAdmissions(db: Db, engine: Engine): Promise<void> {
  if (engine === 'sqlite') return;
  await db.schema.alterTable('admission').addColumn('restated_at_ms', 'bigint').execute();
}
