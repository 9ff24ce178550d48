/**
 * 0017: a delivery can be cancelled before it has a midoffice. Then its row in `given_up` has none either. An index
 * finds the unrouted ones without those: it takes more than a second to skip a million of them.
 */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { changeOnce, type Db } from './migration.ts';

export async function letUnroutedBeCancelled(db: Db, engine: Engine): Promise<void> {
  await changeOnce(
    db,
    engine,
    { table: 'delivery', column: 'cancelled_unrouted' },
    async (transaction) => {
      if (engine === 'postgres') {
        await sql`alter table given_up alter column midoffice_id drop not null`.execute(
          transaction,
        );
      } else {
        await rebuildGivenUp(transaction);
      }
      await sql`alter table delivery add column cancelled_unrouted integer`.execute(transaction);
      // Newest first: PostgreSQL does not see that equal nulls keep the order, and SQLite prefers an index on what
      // the query compares.
      const columns = sql.raw(engine === 'postgres' ? 'seq' : 'midoffice_id, seq');
      await sql`create index delivery_without_midoffice on delivery (${columns})
                 where midoffice_id is null and cancelled_unrouted is null`.execute(transaction);
    },
  );
}

/** SQLite before 3.53 cannot drop a constraint. */
async function rebuildGivenUp(db: Db): Promise<void> {
  await sql`
    create table rebuilt (
      seq integer primary key,
      midoffice_id text,
      state text not null,
      at bigint not null,
      why text,
      last_result text)`.execute(db);
  const columns = sql.raw('seq, midoffice_id, state, at, why, last_result');
  await sql`insert into rebuilt (${columns}) select ${columns} from given_up order by seq`.execute(
    db,
  );
  await sql`drop table given_up`.execute(db);
  await sql`alter table rebuilt rename to given_up`.execute(db);
  await sql`create index given_up_by_midoffice on given_up (midoffice_id, state, seq)`.execute(db);
  await sql`create index given_up_by_state on given_up (state, seq)`.execute(db);
  await sql`create index given_up_by_result on given_up (last_result, seq)`.execute(db);
}
