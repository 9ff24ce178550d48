/** Partners, keys with their grants, tokens and the audit; on PostgreSQL also what nodes tell each other. */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import type { Db } from './migration.ts';

export async function createPartnerApi(db: Db, engine: Engine): Promise<void> {
  const serial = engine === 'sqlite' ? sql`integer` : sql`bigserial`;
  await db.schema
    .createTable('meta')
    .addColumn('name', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('partner')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('integration_started_on', 'text', (c) => c.notNull())
    .addColumn('is_new', 'integer', (c) => c.notNull())
    .addColumn('suspended', 'integer', (c) => c.notNull())
    .addColumn('certified_at', 'bigint')
    .addColumn('certification_reference', 'text')
    .addColumn('midoffice_id', 'text')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('grant_set')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('grants', 'text', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('api_key')
    .addColumn('key_id', 'text', (c) => c.primaryKey())
    .addColumn('partner_id', 'text', (c) => c.notNull().references('partner.id'))
    .addColumn('label', 'text')
    .addColumn('sealed_key', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull())
    .addColumn('previous_sealed_key', 'text')
    .addColumn('previous_digest', 'text')
    .addColumn('previous_until', 'bigint')
    .addColumn('allowed_ips', 'text')
    .addColumn('disabled', 'integer', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('revoked_at', 'bigint')
    .addColumn('grant_set', 'text', (c) => c.notNull().references('grant_set.id'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('api_key_by_partner')
    .on('api_key')
    .columns(['partner_id', 'key_id'])
    .execute();
  await db.schema
    .createTable('token')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('role', 'text', (c) => c.notNull())
    .addColumn('digest', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute();
  await db.schema
    .createTable('audit')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('actor', 'text', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('before', 'text')
    .addColumn('after', 'text')
    .execute();
  await db.schema.createIndex('audit_by_subject').on('audit').columns(['subject', 'id']).execute();
  // With SQLite there is one process. It keeps admissions in a file of their own and learns of changes at once.
  if (engine === 'postgres') {
    await db.schema
      .createTable('admission')
      .addColumn('seq', serial, (c) => c.primaryKey())
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('endpoint', 'text', (c) => c.notNull())
      .addColumn('at_ms', 'bigint', (c) => c.notNull())
      .addColumn('keep_until_ms', 'bigint', (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex('admission_by_end')
      .on('admission')
      .column('keep_until_ms')
      .execute();
    await db.schema
      .createTable('key_change')
      .addColumn('seq', serial, (c) => c.primaryKey())
      .addColumn('key_id', 'text', (c) => c.notNull())
      .addColumn('at', 'bigint', (c) => c.notNull())
      .execute();
    // The transaction's own id, so that a reader can tell what it may have missed: rows
    // become visible in the order of commits, not of `seq`.
    await sql`alter table key_change add column xid xid8 not null default pg_current_xact_id()`.execute(
      db,
    );
    await sql`create index key_change_by_xid on key_change (xid)`.execute(db);
  }
}
