/** The history of the back office's tables. A migration that has been released is never edited. */
import type { Migration } from 'kysely/migration';
import type { Engine } from '../engine.ts';
import { createAuditIndices } from '../migrations/0010-list-indices.ts';
import { runMigrations } from '../migrations/migrate.ts';
import type { Db } from '../migrations/migration.ts';
import { createPeople } from './people-migration.ts';
import { addTokenTimes } from './token-times-migration.ts';

/** `schema` is where the tables live, if the engine knows schemas. */
export function migrateBackOffice(db: Db, engine: Engine, schema?: string): Promise<void> {
  const into = (transaction: Db) => (schema ? transaction.withSchema(schema) : transaction);
  const migrations: Record<string, Migration> = {
    '0001-tokens': { up: (transaction: Db) => createTables(into(transaction), engine) },
    '0002-audit-indices': { up: (transaction: Db) => createAuditIndices(into(transaction)) },
    '0003-token-times': { up: (transaction: Db) => addTokenTimes(into(transaction), engine) },
    '0004-people': { up: (transaction: Db) => createPeople(into(transaction), engine) },
  };
  return runMigrations(db, migrations, schema);
}

async function createTables(db: Db, engine: Engine): Promise<void> {
  const create = (table: string) => {
    const builder = db.schema.createTable(table);
    return engine === 'sqlite' ? builder.ifNotExists() : builder;
  };
  await create('token')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await create('session')
    .addColumn('digest', 'text', (c) => c.primaryKey())
    .addColumn('token_digest', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('used_at', 'bigint', (c) => c.notNull())
    .execute();
  await create('audit')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute();
}
