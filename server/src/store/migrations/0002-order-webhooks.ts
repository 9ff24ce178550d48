/** Midoffices, deliveries and their attempts. */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { claimFunction, NEXT_DUE_FUNCTION } from './claim-function.ts';
import type { Db } from './migration.ts';

export async function createOrderWebhooks(db: Db, engine: Engine): Promise<void> {
  const serial = engine === 'sqlite' ? sql`integer` : sql`bigserial`;
  await db.schema
    .createTable('midoffice')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('signing_key_id', 'text', (c) => c.notNull().references('api_key.key_id'))
    .addColumn('body_form', 'text', (c) => c.notNull())
    .addColumn('delivery_order', 'text', (c) => c.notNull())
    .addColumn('max_in_flight', 'integer', (c) => c.notNull())
    .addColumn('paused', 'integer', (c) => c.notNull())
    .addColumn('failing_since', 'bigint')
    .addColumn('alerted_at', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createTable('delivery')
    .addColumn('seq', serial, (c) =>
      engine === 'sqlite' ? c.primaryKey().autoIncrement() : c.primaryKey(),
    )
    .addColumn('event_id', 'text', (c) => c.notNull().unique())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('partner_id', 'text', (c) => c.notNull())
    .addColumn('partner_order_id', 'text', (c) => c.notNull())
    .addColumn('agreement_number', 'text')
    .addColumn('status', 'text')
    .addColumn('asked_midoffice_id', 'text')
    .addColumn('midoffice_id', 'text')
    .addColumn('ordered', 'integer', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('lease', 'text')
    .addColumn('attempts_made', 'integer', (c) => c.notNull())
    .addColumn('retries_used', 'integer', (c) => c.notNull())
    .addColumn('accepted_at', 'bigint', (c) => c.notNull())
    .addColumn('settled_at', 'bigint')
    .execute();
  await db.schema
    .createTable('attempt')
    .addColumn('delivery_seq', 'bigint', (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('duration_ms', 'integer', (c) => c.notNull())
    .addColumn('outcome', 'text', (c) => c.notNull())
    .addColumn('status_code', 'integer')
    .addColumn('reply_excerpt', 'text')
    .addColumn('error', 'text')
    .addColumn('signature_timestamp', 'bigint', (c) => c.notNull())
    .addColumn('signature_token', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('attempt_key', ['delivery_seq', 'number'])
    .modifyEnd(engine === 'sqlite' ? sql`without rowid` : sql``)
    .execute();
  // The worker claims by it. It holds only pending work, however much history there is.
  await sql`create index delivery_due on delivery (midoffice_id, due_at, seq)
             where state = 'pending'`.execute(db);
  await sql`create index delivery_in_order on delivery (midoffice_id, partner_order_id, seq)
             where state = 'pending' and ordered = 1`.execute(db);
  // What people look for.
  await sql`create index delivery_by_order on delivery (partner_order_id, seq)`.execute(db);
  await sql`create index delivery_by_midoffice on delivery (midoffice_id, seq)`.execute(db);
  await sql`create index delivery_by_partner on delivery (partner_id, seq)`.execute(db);
  await sql`create index delivery_by_time on delivery (accepted_at, seq)`.execute(db);
  await sql`create index delivery_given_up on delivery (state, midoffice_id, seq)
             where state in ('exhausted', 'cancelled')`.execute(db);
  await sql`create index delivery_pending on delivery (seq)
             where state = 'pending'`.execute(db);
  // What retention deletes by.
  await sql`create index delivery_settled on delivery (settled_at)
             where settled_at is not null`.execute(db);
  if (engine === 'postgres') {
    await sql`create index delivery_in_flight on delivery (midoffice_id)
               where lease is not null`.execute(db);
    await sql.raw(claimFunction('lease = new_lease, due_at = lease_until_ms')).execute(db);
    await sql.raw(NEXT_DUE_FUNCTION).execute(db);
  }
}
