/**
 * The store on PostgreSQL, for any number of nodes. All tables live in the schema `bellhop`, whatever
 * search path the address asks for, so that two environments cannot hide in two schemas of one
 * database: the second finds the first one's name in `meta` and is refused.
 */
import { randomBytes } from 'node:crypto';
import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import type { Clock } from '../../clock.ts';
import { ConfigError } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import type { Vault } from '../../vault.ts';
import { changeOn } from '../change.ts';
import { claimIdentity } from '../identity.ts';
import { migrate } from '../migrations.ts';
import type { Schema } from '../schema.ts';
import { PROBE_BYTES, StorageHealth } from '../storage-health.ts';
import { storageTroubleOf, storageTroubles } from '../storage-trouble.ts';
import type { Store } from '../store.ts';
import { postgresAdmissions } from './admissions.ts';
import { postgresDeliveries } from './deliveries.ts';
import { watchKeyChanges } from './key-changes.ts';
import { postgresKeyLookup } from './key-lookup.ts';
import { postgresOrders } from './orders.ts';
import { CHANNEL, listenForWork, payloads } from './work-notices.ts';

const SCHEMA = 'bellhop';
const CONNECTIONS = 10;
const CONNECT_TIMEOUT_MS = 3_000;
const STATEMENT_TIMEOUT_MS = 30_000;
const QUERY_TIMEOUT_MS = 35_000;

export async function openPostgresStore(options: {
  url: string;
  environment: EnvironmentName;
  vault: Vault;
  clock: Clock;
  log: Log;
}): Promise<Store> {
  const { url, environment, vault, clock, log } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that vanished without a word would otherwise be waited for until the system gives up.
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    application_name: `bellhop ${environment}`,
    types: { getTypeParser },
    onConnect: async (client) => {
      // The pool listens only while a connection is idle. One that PostgreSQL ends between two
      // statements of a transaction would otherwise end the process; the next statement tells.
      client.on('error', () => {});
      await client.query(`set search_path to ${SCHEMA}`);
    },
  });
  // A connection that breaks while idle is replaced; whoever uses one hears of it by their query.
  pool.on('error', (error) => log.warn({ err: error }, 'a database connection was lost'));
  const health = new StorageHealth(() => probe(pool), log);
  const db = new Kysely<Schema>({
    dialect: new PostgresDialect({ pool }),
    log: (event) => {
      if (event.level === 'error') health.note(event.error);
    },
  });
  const variable = `BELLHOP_${environment.toUpperCase()}_DATABASE_URL`;
  try {
    await reach(pool, variable);
    await createSchema(db);
    await migrate(db, 'postgres', SCHEMA);
    await claimIdentity(db, environment, vault, `The database of ${variable}`);
  } catch (error) {
    await pool.end();
    if (!storageTroubleOf(error)) throw error;
    throw new ConfigError(
      `${variable}: the database cannot be written to (${(error as Error).message}); see to that and start Bellhop again.`,
    );
  }
  const keyChanges = await watchKeyChanges(pool, clock, log);
  const notices = listenForWork(url, log);
  const admissions = postgresAdmissions(pool);
  const orders = postgresOrders(pool);
  return {
    engine: 'postgres',
    db,
    keys: postgresKeyLookup(pool),
    keyChanges,
    admissions: { ...admissions, append: (some) => health.watch(() => admissions.append(some)) },
    orders: { accept: (requests, nowMs) => health.watch(() => orders.accept(requests, nowMs)) },
    deliveries: postgresDeliveries(pool, notices),
    change: changeOn(
      db,
      clock,
      { announce: keyChanges.announce, recordKeys: true },
      async (midofficeIds, transaction) => {
        for (const payload of payloads(midofficeIds)) {
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
      await notices.close();
      await pool.end();
    },
  };
}

/** Whoever mistypes an address gets a sentence; what pg says of it holds no password. */
async function reach(pool: pg.Pool, variable: string): Promise<void> {
  try {
    await pool.query('select 1');
  } catch (error) {
    const { message, code } = error as Error & { code?: string };
    throw new ConfigError(
      `${variable}: the database cannot be opened (${message || code || 'no reason given'}).`,
    );
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

/** Two nodes that start at once would both try to create it; the loser's error says that it exists. */
async function createSchema(db: Kysely<Schema>): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    await sql`select pg_advisory_xact_lock(hashtext('bellhop schema'))`.execute(transaction);
    await sql`create schema if not exists ${sql.id(SCHEMA)}`.execute(transaction);
  });
}

/** Our 64-bit columns are counters and milliseconds, far below 2^53: numbers, as in SQLite. */
const getTypeParser = ((oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8
    ? Number
    : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser;
