/** The window that an admission was counted in. */
import type { Engine } from '../engine.ts';
import type { Db } from './migration.ts';

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
