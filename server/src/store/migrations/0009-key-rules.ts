/**
 * 0009: several earlier API keys of one key that work at the same time, and what a key last had of an endpoint
 * that was withdrawn from it. The audit has the withdrawals from before. Partner API nodes of the previous
 * release keep running, because everything that they read stays where it was.
 */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { changeOnce, type Db } from './migration.ts';

export async function createKeyRules(db: Db, engine: Engine): Promise<void> {
  await changeOnce(db, engine, { table: 'withdrawn_grant' }, (transaction) =>
    change(transaction, engine),
  );
}

async function change(db: Db, engine: Engine): Promise<void> {
  await db.schema.alterTable('api_key').addColumn('earlier_keys', 'text').execute();
  await db.schema
    .createTable('withdrawn_grant')
    .addColumn('key_id', 'text', (c) => c.notNull().references('api_key.key_id'))
    .addColumn('endpoint', 'text', (c) => c.notNull())
    .addColumn('last', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('withdrawn_grant_key', ['key_id', 'endpoint'])
    .execute();
  const endpoint =
    engine === 'postgres' ? sql`before::json ->> 'endpoint'` : sql`before ->> 'endpoint'`;
  // The last withdrawal of each endpoint. It does no harm if the endpoint was granted again meanwhile: the grant
  // counts, and the next withdrawal replaces the row.
  await sql`
    insert into withdrawn_grant (key_id, endpoint, last)
    select subject, endpoint, before from (
      select subject, ${endpoint} as endpoint, before,
             row_number() over (partition by subject, ${endpoint} order by at desc, id desc) as n
        from audit
       where action = 'key.withdraw' and before is not null
         and subject in (select key_id from api_key)
    ) withdrawal
     where n = 1`.execute(db);
}
