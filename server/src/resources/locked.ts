import { isPostgres } from '../store/engine.ts';
import type { Database } from '../store/schema.ts';

interface Lockable<Q> {
  forNoKeyUpdate(): Q;
}

/**
 * For a change: what this reads stays true until the transaction ends, because other changes of the row wait. At the
 * same moment, two changes then end as they would one after the other. SQLite has one writer at a time anyway.
 */
export function locked<Q extends Lockable<Q>>(db: Database, query: Q): Q {
  return isPostgres(db) ? query.forNoKeyUpdate() : query;
}
