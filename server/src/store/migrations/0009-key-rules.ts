/**
 * 0009: several earlier API keys of one key in force at once, and what a key last had of an endpoint
 * that was withdrawn from it. The audit knows the withdrawals of before. Partner API nodes of the
 * release before keep running: they find all that they read where it was.
 */
import { type Kysely, sql } from 'kysely';
import type { Engine } from '../engine.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
type Db = Kysely<any>;

export async function createKeyRules(db: Db, engine: Engine): Promise<void> {
  if (engine === 'postgres') return change(db, engine);
  // Kysely runs migrations of SQLite outside a transaction, and notes this one as done only at the end:
  // after a crash in between it would start again.
  const tables = await db.introspection.getTables();
  if (tables.some(({ name }) => name === 'withdrawn_grant')) return;
  await db.transaction().execute((transaction) => change(transaction, engine));
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
  // The last withdrawal of each. One that was granted again meanwhile does no harm: a grant in force is
  // what counts, and the next withdrawal replaces the row.
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
