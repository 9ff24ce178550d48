/** 0003: when a token expires, and when it was last used. */
import type { Engine } from '../engine.ts';
import { addColumnOnce, type Db } from '../migrations/migration.ts';

export async function addTokenTimes(db: Db, engine: Engine): Promise<void> {
  for (const column of ['expires_at', 'last_used_at']) {
    await addColumnOnce(db, engine, { table: 'token', column, type: 'bigint' });
  }
}
