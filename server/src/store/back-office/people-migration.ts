/** 0004: people who sign in through OpenID Connect, and their sessions. */
import type { Engine } from '../engine.ts';
import { addColumnOnce, type Db } from '../migrations/migration.ts';

export async function createPeople(db: Db, engine: Engine): Promise<void> {
  await db.schema
    .createTable('person')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('issuer', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('email', 'text')
    .addColumn('role', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('signed_in_at', 'bigint', (c) => c.notNull())
    .addUniqueConstraint('person_by_subject', ['issuer', 'subject'])
    .execute();
  await addColumnOnce(db, engine, { table: 'session', column: 'person_id', type: 'text' });
}
