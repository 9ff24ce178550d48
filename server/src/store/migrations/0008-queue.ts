/**
 * 0008: the wide delivery row becomes a fact, and the work gets a queue of its own. Carries over what a database
 * from before holds: pending deliveries keep their time and their steps, those in flight are due again, and
 * exhausted and cancelled ones stay so. One transaction on both engines, so that a crash in the middle leaves
 * the database as it was.
 */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { changeOnce, type Db } from './migration.ts';

const SHARDS = 64;

/** A copy of what the workers use, because a migration must not change with them. Its test compares the two. */
function shardOf(midofficeId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < midofficeId.length; i++) {
    hash = Math.imul(hash ^ midofficeId.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}

/** Rows of two values in one statement. */
const ROWS_AT_ONCE = 500;

const FACTS =
  'seq, event_id, type, partner_id, partner_order_id, agreement_number, status, asked_midoffice_id, midoffice_id, accepted_at';

const OLD_INDICES = [
  'delivery_due',
  'delivery_in_order',
  'delivery_given_up',
  'delivery_pending',
  'delivery_settled',
  'delivery_unrouted',
  'delivery_in_flight',
];

const OLD_COLUMNS = [
  'ordered',
  'state',
  'due_at',
  'lease',
  'attempts_made',
  'retries_used',
  'settled_at',
  'last_key',
  'scheduled_at',
  'retry_asked',
];

export async function createQueue(db: Db, engine: Engine): Promise<void> {
  await changeOnce(db, engine, { table: 'pending' }, (transaction) =>
    carryOver(transaction, engine),
  );
}

async function carryOver(db: Db, engine: Engine): Promise<void> {
  // A node of the previous release that still runs could otherwise accept an event that is not carried over.
  if (engine === 'postgres') await sql`lock table delivery`.execute(db);
  await createTables(db, engine);
  await sql`
    insert into given_up (seq, midoffice_id, state, at, why)
    select d.seq, d.midoffice_id, d.state, coalesce(d.settled_at, d.accepted_at),
           case when d.state = 'exhausted' then a.failure_code end
      from delivery d
      left join attempt a on a.delivery_seq = d.seq and a.number = d.attempts_made
     where d.state in ('exhausted', 'cancelled')
     order by d.seq`.execute(db);
  await queuePending(db, engine);
  await createIndices(db);
  if (engine === 'sqlite') await rewriteFacts(db);
  else await stripFacts(db);
  await sql`create index delivery_unrouted on delivery (partner_id, seq)
             where midoffice_id is null`.execute(db);
  // Housekeeping asks every 30 seconds, and there may be 100,000 midoffices.
  await sql`create index midoffice_failing on midoffice (failing_since)
             where failing_since is not null`.execute(db);
  // The worker looks for all of its work first. Autovacuum would come a minute later.
  if (engine === 'postgres') await sql`analyze pending, given_up, delivery`.execute(db);
}

async function createTables(db: Db, engine: Engine): Promise<void> {
  const seq = engine === 'sqlite' ? sql`integer` : sql`bigint`;
  await db.schema
    .createTable('pending')
    .addColumn('seq', seq, (c) => c.primaryKey())
    .addColumn('shard', 'integer', (c) => c.notNull())
    .addColumn('midoffice_id', 'text', (c) => c.notNull())
    .addColumn('order_key', 'text')
    .addColumn('due_at', 'bigint')
    .addColumn('retries_used', 'integer', (c) => c.notNull())
    .addColumn('attempts_made', 'integer', (c) => c.notNull())
    .addColumn('scheduled_at', 'bigint')
    .addColumn('asked_at', 'bigint')
    .addColumn('last_key', 'text')
    .execute();
  await db.schema
    .createTable('given_up')
    .addColumn('seq', seq, (c) => c.primaryKey())
    .addColumn('midoffice_id', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('why', 'text')
    .execute();
  await db.schema
    .createTable('shard')
    .addColumn('n', 'integer', (c) => c.primaryKey())
    .addColumn('node', 'text')
    .addColumn('epoch', 'bigint', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .addColumn('in_flight', 'integer', (c) => c.notNull())
    .execute();
  for (let n = 0; n < SHARDS; n++) {
    await sql`insert into shard (n, epoch, until, in_flight) values (${n}, 0, 0, 0)`.execute(db);
  }
  await db.schema
    .createTable('delivery_node')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('since', 'bigint', (c) => c.notNull())
    .addColumn('until', 'bigint', (c) => c.notNull())
    .execute();
  if (engine === 'postgres') {
    // Rows come and go all the time. A vacuum that waits for a fifth of them comes too late.
    await sql`alter table pending set (autovacuum_vacuum_scale_factor = 0.02,
                autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`.execute(db);
    await sql`alter table shard set (fillfactor = 50)`.execute(db);
  }
}

/** After the rows, which is faster. */
async function createIndices(db: Db): Promise<void> {
  // Lanes read by it, and a sweep skips through it from midoffice to midoffice.
  await sql`create index pending_due on pending (shard, midoffice_id, due_at, seq)`.execute(db);
  await sql`create index pending_in_order on pending (midoffice_id, order_key, seq)
             where order_key is not null`.execute(db);
  await sql`create index pending_parked on pending (shard, seq) where due_at is null`.execute(db);
  await sql`create index given_up_by_midoffice on given_up (midoffice_id, state, seq)`.execute(db);
  await sql`create index given_up_by_state on given_up (state, seq)`.execute(db);
}

async function queuePending(db: Db, engine: Engine): Promise<void> {
  await sql`create temporary table shard_of (midoffice_id text primary key, shard integer)`.execute(
    db,
  );
  const { rows } = await sql<{ midoffice_id: string }>`
    select distinct midoffice_id from delivery where state = 'pending'`.execute(db);
  for (let i = 0; i < rows.length; i += ROWS_AT_ONCE) {
    const shards = rows
      .slice(i, i + ROWS_AT_ONCE)
      .map(({ midoffice_id: id }) => sql`(${id}, ${sql.lit(shardOf(id))})`);
    await sql`insert into shard_of (midoffice_id, shard) values ${sql.join(shards)}`.execute(db);
  }
  if (engine === 'postgres') await sql`analyze shard_of`.execute(db);
  await sql`
    insert into pending (seq, shard, midoffice_id, order_key, due_at, retries_used, attempts_made,
                         scheduled_at, last_key)
    select d.seq, s.shard, d.midoffice_id,
           case when d.ordered = 1 then d.partner_id || ' ' || d.partner_order_id end,
           -- What was in flight is due at once; an attempt by hand stays one.
           case when d.lease is null then coalesce(d.due_at, 0) else 0 end,
           d.retries_used, d.attempts_made, d.scheduled_at, d.last_key
      from delivery d join shard_of s on s.midoffice_id = d.midoffice_id
     where d.state = 'pending'
     order by d.seq`.execute(db);
  await sql`drop table shard_of`.execute(db);
}

/** Rewrites the table once, instead of once for each column that it drops. */
async function rewriteFacts(db: Db): Promise<void> {
  await sql`
    create table fact (
      seq integer primary key autoincrement,
      event_id text not null,
      type text not null,
      partner_id text not null,
      partner_order_id text not null,
      agreement_number text,
      status text,
      asked_midoffice_id text,
      midoffice_id text,
      accepted_at bigint not null)`.execute(db);
  const facts = sql.raw(FACTS);
  await sql`insert into fact (${facts}) select ${facts} from delivery order by seq`.execute(db);
  // A number is never used again, even if the newest deliveries have been deleted.
  await sql`delete from sqlite_sequence where name = 'fact'`.execute(db);
  await sql`insert into sqlite_sequence (name, seq)
            select 'fact', seq from sqlite_sequence where name = 'delivery'`.execute(db);
  await sql`drop table delivery`.execute(db);
  await sql`alter table fact rename to delivery`.execute(db);
  // An index sorts first. A unique column would be filled in the random order of the ids.
  await sql`create unique index delivery_event_id on delivery (event_id)`.execute(db);
  await sql`create index delivery_by_order on delivery (partner_order_id, seq)`.execute(db);
  await sql`create index delivery_by_midoffice on delivery (midoffice_id, seq)`.execute(db);
  await sql`create index delivery_by_partner on delivery (partner_id, seq)`.execute(db);
  await sql`create index delivery_by_time on delivery (accepted_at, seq)`.execute(db);
}

async function stripFacts(db: Db): Promise<void> {
  await sql`drop function claim_deliveries(text[], int[], bigint, bigint, text)`.execute(db);
  await sql`drop function next_due(text, bigint)`.execute(db);
  for (const index of OLD_INDICES) await sql`drop index ${sql.ref(index)}`.execute(db);
  let alter = db.schema.alterTable('delivery').dropColumn(OLD_COLUMNS[0] as string);
  for (const column of OLD_COLUMNS.slice(1)) alter = alter.dropColumn(column);
  await alter.execute();
}
