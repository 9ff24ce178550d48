/**
 * 0013: finds deliveries by the result of their last attempt and by the beginning of their order id.
 *
 * A delivery whose last attempt failed is in `pending` or in `given_up`, so these two tables keep the result.
 * A search then filters the rows that it reads anyway, instead of looking up an attempt for each of them.
 */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { changeOnce, type Db } from './migration.ts';

export async function createDeliverySearch(db: Db, engine: Engine): Promise<void> {
  if (engine === 'postgres') {
    // The order of the bytes, so that an index finds everything that begins with a text. PostgreSQL rebuilds the
    // index of orders and leaves the table as it is.
    await sql`alter table delivery alter column partner_order_id type text collate "C"`.execute(db);
  }
  await changeOnce(db, engine, { table: 'pending', column: 'last_result' }, (transaction) =>
    addResults(transaction, engine),
  );
}

async function addResults(db: Db, engine: Engine): Promise<void> {
  const text = engine === 'postgres' ? sql`text collate "C"` : sql`text`;
  for (const name of ['pending', 'given_up']) {
    const table = sql.table(name);
    await sql`alter table ${table} add column last_result ${text}`.execute(db);
    await sql`
      update ${table} set last_result = (
        select coalesce(cast(attempt.status_code as text), attempt.failure_code, 'unknown')
          from attempt where attempt.delivery_seq = ${table}.seq
         order by attempt.number desc limit 1)`.execute(db);
  }
  // `pending` has no such index: each failed attempt would have to update it.
  await sql`create index given_up_by_result on given_up (last_result, seq)`.execute(db);
}
