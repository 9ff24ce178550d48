/**
 * 0012: notes that people leave on a partner, a key, a midoffice or a delivery, and indexes for the orders in
 * which partners and keys can be listed besides by time.
 */
import { sql } from 'kysely';
import type { Db } from './migration.ts';

const EXPIRY = 'coalesce(expires_at, 9007199254740991)';

export async function createNotes(db: Db): Promise<void> {
  await db.schema
    .createTable('note')
    .ifNotExists()
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('subject', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('author', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .execute();
  await sql`create index if not exists note_by_subject on note (subject, at, id)`.execute(db);
  await sql`create index if not exists partner_by_name on partner (lower(name), id)`.execute(db);
  await sql`create index if not exists api_key_by_expiry on api_key (${sql.raw(EXPIRY)}, key_id)`.execute(
    db,
  );
  await sql`create index if not exists api_key_of_partner_by_expiry
             on api_key (partner_id, ${sql.raw(EXPIRY)}, key_id)`.execute(db);
}
