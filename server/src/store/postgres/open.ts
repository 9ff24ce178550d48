/**
 * The store on PostgreSQL, for any number of nodes. All tables live in the schema `bellhop`, whatever
 * search path the address asks for, so that two environments cannot hide in two schemas of one
 * database: the second finds the first one's name in `meta` and is refused.
 */
import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import type { DeliveryQueue } from '../../delivery/queue.ts';
import type { Log } from '../../log.ts';
import type { Vault } from '../../vault.ts';
import { changeOn } from '../change.ts';
import { DatabaseAway } from '../database-away.ts';
import { housekeepingOn } from '../housekeeping.ts';
import { claimIdentity } from '../identity.ts';
import { minuteStatsOn } from '../minute-stats.ts';
import { restateAsStored } from '../queue/restate-order.ts';
import type { Schema } from '../schema.ts';
import { PROBE_BYTES, StorageHealth } from '../storage-health.ts';
import { storageTroubleOf, storageTroubles } from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { postgresAdmissions } from './admissions.ts';
import { SCHEMA } from './connection.ts';
import { watchKeyChanges } from './key-changes.ts';
import { postgresKeyLookup } from './key-lookup.ts';
import { migratePostgres } from './migrating.ts';
import { postgresOrders } from './orders.ts';
import { openPools, PROMPT_ANSWER_MS } from './pools.ts';
import { postgresQueue } from './queue.ts';
import { postgresShards } from './shards.ts';
import { CHANNEL, listenForWork, payloads } from './work-notices.ts';

export async function openPostgresStore(options: {
  url: string;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  log: Log;
  /** Of a shard; shorter in tests. */
  leaseMs?: number;
}): Promise<Store> {
  const { url, environment, vault, clock, log } = options;
  const pools = openPools({ url, environment, log });
  const { pool, prompt, heartbeat } = pools;
  const health = new StorageHealth(() => probe(pool), log);
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => {
      if (event.level === 'error') health.note(event.error);
    },
  });
  const variable = `BELLHOP_${environment.toUpperCase()}_DATABASE_URL`;
  let keyChanges: Awaited<ReturnType<typeof watchKeyChanges>>;
  try {
    await reach(pool, variable);
    await createSchema(db);
    await migratePostgres(url, log);
    await claimIdentity(db, environment, vault, `The database of ${variable}`);
    keyChanges = await watchKeyChanges({
      patient: pool,
      prompt: pools.watch,
      answerMs: PROMPT_ANSWER_MS,
      heartbeat,
      clock,
      log,
    });
  } catch (error) {
    await pools.close();
    if (error instanceof DatabaseAway) throw cannotBeOpened(variable, error);
    if (!storageTroubleOf(error)) throw error;
    throw new ConfigError(
      `${variable}: the database cannot be written to (${(error as Error).message}); see to that and start Bellhop again.`,
    );
  }
  const notices = listenForWork({ newConnection: pools.newConnection, log });
  const admissions = postgresAdmissions(pool, prompt);
  const orders = postgresOrders(pools.delivery);
  return {
    engine: 'postgres',
    db,
    keys: postgresKeyLookup(prompt),
    keyChanges,
    admissions: { ...admissions, append: (some) => health.watch(() => admissions.append(some)) },
    orders: { accept: (...args) => health.watch(() => orders.accept(...args)) },
    queue: watched(
      postgresQueue(pools.delivery, notices, (id, nowMs) => restateAsStored(db, id, nowMs)),
      health,
    ),
    shards: postgresShards(pools.leases, options.leaseMs),
    minuteStats: minuteStatsOn(db),
    housekeeping: housekeepingOn(db),
    change: changeOn(
      db,
      clock,
      { announce: keyChanges.announce, recordKeys: true },
      async (midofficeIds, transaction) => {
        for (const payload of payloads('changed', midofficeIds)) {
          await sql`select pg_notify(${CHANNEL}, ${payload})`.execute(transaction);
        }
      },
    ),
    storageTrouble: () => health.trouble && storageTroubles[health.trouble],
    async ping() {
      await pool.query('select 1');
      await health.check();
    },
    async close() {
      await health.stop();
      keyChanges.stop();
      await Promise.all([notices.close(), pools.close()]);
    },
  };
}

/** What delivery writes tells of the disk as well. */
function watched(queue: DeliveryQueue, health: StorageHealth): DeliveryQueue {
  return {
    ...queue,
    settle: (...args) => health.watch(async () => queue.settle(...args)),
    markWorked: (...args) => health.watch(() => queue.markWorked(...args)),
    markFailing: (...args) => health.watch(() => queue.markFailing(...args)),
  };
}

/** Whoever mistypes an address gets a sentence; what pg says of it holds no password. */
async function reach(pool: pg.Pool, variable: string): Promise<void> {
  try {
    await pool.query('select 1');
  } catch (error) {
    throw cannotBeOpened(variable, error as Error);
  }
}

/** For `StorageHealth`: a row that is never committed, of random bytes, since PostgreSQL compresses. */
async function probe(pool: pg.Pool): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const value = randomBytes(PROBE_BYTES).toString('base64');
    await client.query("insert into meta (name, value) values ('storage probe', $1)", [value]);
  } finally {
    await client.query('rollback').finally(() => client.release());
  }
}

function cannotBeOpened(variable: string, { message }: Error): ConfigError {
  return new ConfigError(`${variable}: the database cannot be opened (${message}).`);
}

/** Two nodes that start at once would both try to create it; the loser's error says that it exists. */
async function createSchema(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('bellhop schema'))`.execute(transaction);
    await sql`create schema if not exists ${sql.id(SCHEMA)}`.execute(transaction);
  });
}
