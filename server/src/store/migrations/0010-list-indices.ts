/**
 * 0010: indexes for the lists that read or sorted a whole table: the audit by actor, by action and of a
 * subject, the keys of a partner, the midoffices, and the events of the types that are rarer than `created`.
 */
import { sql } from 'kysely';
import type { Db } from './migration.ts';

export async function createListIndices(db: Db): Promise<void> {
  await sql`drop index if exists audit_by_subject`.execute(db);
  await createAuditIndices(db);
  await sql`drop index if exists api_key_by_partner`.execute(db);
  await sql`create index api_key_by_partner on api_key (partner_id, created_at, key_id)`.execute(
    db,
  );
  // The name as well: a search looks through names without reading the midoffices.
  await sql`create index if not exists midoffice_by_time on midoffice (created_at, id, name)`.execute(
    db,
  );
  // Most events are `created`: the newest are found by walking back, and accepting one costs no more.
  for (const type of ['updated', 'cancelled']) {
    await sql`create index if not exists ${sql.ref(`delivery_${type}`)} on delivery (seq)
               where type = ${sql.lit(type)}`.execute(db);
  }
}

/** The back office's own audit has them too. */
export async function createAuditIndices(db: Db): Promise<void> {
  for (const column of ['subject', 'actor', 'action']) {
    await db.schema
      .createIndex(`audit_by_${column}`)
      .ifNotExists()
      .on('audit')
      .columns([column, 'at', 'id'])
      .execute();
  }
}
