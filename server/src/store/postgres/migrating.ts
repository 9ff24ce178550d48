/**
 * Migrations have a connection of their own with longer deadlines: a migration may rewrite a large table,
 * and other nodes wait for it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { ConfigError, databaseVariable } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { DatabaseAway } from '../../base/database-errors.ts';
import type { Log } from '../../base/log.ts';
import { storageTroubleOf } from '../storage-trouble.ts';
import type { TableSet } from '../table-sets.ts';
import { refusesUser } from './connection.ts';
import { Liveness } from './liveness.ts';
import { type DoneStep, migrateInSteps } from './migrate-in-steps.ts';
import { BoundedPool } from './pool.ts';

/** Only a safety net: keep-alive probes notice a dead connection earlier. */
const LONGEST_MS = 24 * 3_600_000;
const CONNECT_MS = 3_000;
const LOOK_AGAIN_MS = 100;

/** Nodes that start at the same time take turns from the first look at the tables. */
const ONE_AT_A_TIME = sql<number>`hashtext('bellhop migrations')`;

/** How the tables of an environment and those of the back office get to this release, whichever node comes first. */
export async function migratePostgres(
  { url, environment, log }: { url: string; environment: EnvironmentName; log: Log },
  tables: TableSet,
  onStep?: (done: DoneStep) => void,
): Promise<void> {
  const variable = databaseVariable(environment);
  try {
    const where = `The database of ${variable}`;
    await onMigrationConnection(url, log, (db) => migrateInSteps(db, tables, { where, onStep }));
  } catch (error) {
    throw explained(error, variable);
  }
}

/** What keeps a database from being opened, as a sentence. pg's own message contains no password. */
export function explained(error: unknown, variable: string): unknown {
  const { message } = error as Error;
  if (error instanceof DatabaseAway) {
    return new ConfigError(
      `${variable}: the database cannot be opened (${message})${adviceOn(error)}.`,
      'unavailable',
    );
  }
  if (!storageTroubleOf(error)) return error;
  return new ConfigError(
    `${variable}: the database cannot be written to (${message}); make it writable and start Bellhop again.`,
    'unavailable',
  );
}

function adviceOn(error: DatabaseAway): string {
  if (/certificate/.test(error.message)) {
    return '; name the authority of its certificate in BELLHOP_CA_FILE';
  }
  return refusesUser(error) ? '; check the user and password in it' : '';
}

/** `run` is alone: other nodes that start wait for it. */
export async function onMigrationConnection(
  url: string,
  log: Log,
  run: (db: Kysely<never>) => Promise<void>,
): Promise<void> {
  const pool = new BoundedPool({
    url,
    name: 'bellhop migrations',
    connections: 1,
    waitMs: CONNECT_MS,
    connectMs: CONNECT_MS,
    answerMs: LONGEST_MS,
    statementMs: LONGEST_MS,
    liveness: new Liveness(),
    log,
  });
  let away: DatabaseAway | undefined;
  const db = new Kysely<never>({
    dialect: new PostgresDialect({ pool }),
    log(event) {
      if (event.level === 'error' && event.error instanceof DatabaseAway) away ??= event.error;
    },
  });
  try {
    // Held until the connection is closed.
    while (!(await isAlone(db))) await pause(LOOK_AGAIN_MS);
    await run(db);
  } catch (error) {
    // Without a connection Kysely cannot release its lock either, and would report only that.
    throw away ?? error;
  } finally {
    await pool.close();
  }
}

/**
 * Asked again and again: a statement that waits for the lock would have a snapshot, for whose end an index that is built
 * concurrently waits, and neither would ever come to its end.
 */
async function isAlone(db: Kysely<never>): Promise<boolean> {
  const { rows } = await sql<{ got: boolean }>`
    select pg_try_advisory_lock(${ONE_AT_A_TIME}) as got`.execute(db);
  return rows[0]?.got === true;
}
