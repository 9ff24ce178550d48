/**
 * The schema's history, written once for both engines. A migration that has been released is never
 * edited; the next change is the next entry.
 */
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import { ConfigError } from '../config/config.ts';
import { createConsoleTables } from './console-migration.ts';
import { createDeliverySearch } from './delivery-search-migration.ts';
import type { Engine } from './engine.ts';
import { createKeyRules } from './key-rules-migration.ts';
import { createListIndices } from './list-indices-migration.ts';
import { createImportedRefs } from './moving-in-migration.ts';
import { createNotes } from './notes-migration.ts';
import { createQueue } from './queue/migration.ts';
import { createTestEvents } from './test-events-migration.ts';
import { addTraceContext } from './trace-context-migration.ts';
import { createUsageHistory } from './usage-history-migration.ts';

// biome-ignore lint/suspicious/noExplicitAny: a migration sees the schema of its own day.
type Db = Kysely<any>;

/** `schema` is where the tables live, if the engine knows schemas. */
export function migrate(db: Db, engine: Engine, schema?: string): Promise<void> {
  return runMigrations(db, migrationsFor(engine), schema);
}

export async function runMigrations(
  db: Db,
  migrations: Record<string, Migration>,
  schema?: string,
): Promise<void> {
  const migrator = new Migrator({
    db,
    // Without it, Kysely would take tables of the same name in other schemas for ours.
    migrationTableSchema: schema,
    provider: { getMigrations: async () => migrations },
  });
  const { error } = await migrator.migrateToLatest();
  if (error instanceof Error && /previously executed migration .* is missing/.test(error.message)) {
    throw new ConfigError(
      `The database was used by a newer Bellhop, which this one would damage: ${error.message}.`,
    );
  }
  if (error) throw error;
}

/** The name of the last one: a database without it was used by an older Bellhop. */
export function latestMigration(): string {
  return Object.keys(migrationsFor('sqlite')).at(-1) as string;
}

function migrationsFor(engine: Engine): Record<string, Migration> {
  const serial = engine === 'sqlite' ? sql`integer` : sql`bigserial`;
  return {
    '0001-partner-api': {
      async up(db: Db) {
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
        await db.schema
          .createIndex('audit_by_subject')
          .on('audit')
          .columns(['subject', 'id'])
          .execute();
        // SQLite is one process: it keeps admissions in a file of their own and hears of changes at once.
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
      },
    },
    '0002-order-webhooks': {
      async up(db: Db) {
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
        // What the worker claims by; only pending work is in it, however much history there is.
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
      },
    },
    '0003-console': { up: createConsoleTables },
    '0004-restated-admissions': {
      async up(db: Db) {
        if (engine === 'sqlite') return;
        await db.schema.alterTable('admission').addColumn('restated_at_ms', 'bigint').execute();
      },
    },
    '0005-attempt-facts': { up: addAttemptFacts },
    '0006-delivery-rules': { up: (db: Db) => changeDeliveryRules(db, engine) },
    '0007-admission-windows': {
      async up(db: Db) {
        if (engine === 'sqlite') return;
        await db.schema
          .alterTable('admission')
          .addColumn('requests', 'integer')
          .addColumn('span_ms', 'bigint')
          .addColumn('past', 'jsonb')
          .addColumn('id', 'text')
          .addColumn('epoch', 'text')
          .execute();
      },
    },
    '0008-queue': { up: (db: Db) => createQueue(db, engine) },
    '0009-key-rules': { up: (db: Db) => createKeyRules(db, engine) },
    '0010-list-indices': { up: createListIndices },
    '0011-usage-history': { up: (db: Db) => createUsageHistory(db, engine) },
    '0012-notes': { up: createNotes },
    '0013-delivery-search': { up: (db: Db) => createDeliverySearch(db, engine) },
    '0014-test-events': { up: createTestEvents },
    '0015-moving-in': { up: createImportedRefs },
    '0016-trace-context': { up: (db: Db) => addTraceContext(db, engine) },
  };
}

/**
 * What support is asked about an attempt, as it was then; and which of two keys to sign with first
 * while a rotation overlaps. Attempts of before have none of it.
 */
async function addAttemptFacts(db: Db): Promise<void> {
  const facts = ['failure_code', 'url', 'body_form', 'user_agent', 'key_id', 'key_fingerprint'];
  for (const fact of facts) {
    await db.schema.alterTable('attempt').addColumn(fact, 'text').execute();
  }
  await db.schema.alterTable('midoffice').addColumn('worked_key', 'text').execute();
  await db.schema.alterTable('delivery').addColumn('last_key', 'text').execute();
}

/**
 * Attempts by hand that use up no step of the schedule, events without a midoffice that support can
 * list and recover, and alerts that count as sent only when they were.
 */
async function changeDeliveryRules(db: Db, engine: Engine): Promise<void> {
  await db.schema.alterTable('delivery').addColumn('scheduled_at', 'bigint').execute();
  await db.schema
    .alterTable('delivery')
    .addColumn('retry_asked', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('midoffice').addColumn('alert_claimed_at', 'bigint').execute();
  await sql`create index delivery_unrouted on delivery (partner_id, seq)
             where state = 'unrouted'`.execute(db);
  if (engine === 'postgres') {
    const leased = 'lease = new_lease, due_at = lease_until_ms, retry_asked = 0';
    await sql.raw(claimFunction(leased)).execute(db);
  }
}

/**
 * The claim is a function because it takes two steps that must see different snapshots: first the
 * midoffice's row is locked, so that nodes take turns, and only then are its attempts in flight
 * counted. In one statement the count would be of before the lock, and two nodes could both fill
 * the same last slot. A volatile function gives each of its statements a snapshot of its own.
 *
 * Sorting and the like are forbidden in it because the planner's statistics are always of before the
 * storm: told that next to nothing is pending, it reads all that is and sorts it, 30 ms for each lane
 * with 5,000 pending, where the index of what is due has the few that are wanted in order.
 */
const BY_INDEX_ONLY =
  'set enable_sort = off set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off';

const claimFunction = (leased: string) => `
  create or replace function claim_deliveries(
    midoffice_ids text[], free_slots int[], now_ms bigint, lease_until_ms bigint, new_lease text
  ) returns setof delivery language plpgsql volatile ${BY_INDEX_ONLY} as $$
  begin
    perform 1 from midoffice m where m.id = any(midoffice_ids) order by m.id for no key update;
    return query
      update delivery d set ${leased}
        from unnest(midoffice_ids, free_slots) as asked (midoffice_id, free)
        join midoffice m on m.id = asked.midoffice_id and m.paused = 0
        cross join lateral (
          select p.seq from delivery p
           where p.midoffice_id = m.id and p.state = 'pending' and p.due_at <= now_ms
             and (p.ordered = 0 or not exists (
               select 1 from delivery e
                where e.midoffice_id = p.midoffice_id and e.partner_order_id = p.partner_order_id
                  and e.partner_id = p.partner_id
                  and e.state = 'pending' and e.ordered = 1 and e.seq < p.seq)
               -- Nor while one is under way that was accepted later or cancelled meanwhile.
               and not exists (
               select 1 from delivery f
                where f.partner_order_id = p.partner_order_id and f.midoffice_id = p.midoffice_id
                  and f.partner_id = p.partner_id and f.lease is not null and f.due_at > now_ms))
           order by p.due_at, p.seq
           limit greatest(0, least(asked.free, m.max_in_flight - (
             select count(*) from delivery f
              where f.midoffice_id = m.id and f.lease is not null and f.due_at > now_ms)::int))
           for update skip locked
        ) picked
       where d.seq = picked.seq
      returning d.*;
  end $$`;

/** When the earliest pending work of a midoffice after a time is due. */
const NEXT_DUE_FUNCTION = `
  create function next_due(midoffice text, after_ms bigint) returns bigint
  language plpgsql stable ${BY_INDEX_ONLY} as $$
  begin
    return (select d.due_at from delivery d
             where d.midoffice_id = midoffice and d.state = 'pending' and d.due_at > after_ms
             order by d.due_at limit 1);
  end $$`;
