import type { Database } from '../store/schema.ts';
import type { Store } from '../store/store.ts';

/**
 * `work` only reads, and sees the database as it is at one moment, so that it meets another node's import whole or
 * not at all. The embedded engine has no other node, and one process runs one import at a time.
 */
export function atOneMoment(
  { engine, db }: Pick<Store, 'engine' | 'db'>,
  work: (db: Database) => Promise<void>,
): Promise<void> {
  if (engine === 'sqlite') return work(db);
  return db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(work);
}
