/**
 * Whether Bellhop can work with where `…_DATABASE_URL` and `…_DATABASE_DIRECT_URL` lead. A pooler such as PgBouncer may
 * give each transaction another session of PostgreSQL. Then a session's settings are lost, so the pooler itself must set
 * what our statements need, and what needs a session of its own needs PostgreSQL itself. This is found out at the start,
 * and not later by errors that come and go with the load.
 */
import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { ConfigError, databaseVariable, directVariable } from '../../base/config/config.ts';
import type { EnvironmentName } from '../../base/config/settings.ts';
import type { Log } from '../../base/log.ts';
import { codeOf } from './connection.ts';
import { Liveness } from './liveness.ts';
import { explained } from './migrating.ts';
import { BoundedPool } from './pool.ts';
import type { DatabaseUrls } from './pools.ts';
import { connectQuery, REQUIRED_NAMES, wrongSettings } from './session.ts';

/** An unknown prepared statement, one that exists already, and a message that the server does not expect. */
const LOST_STATEMENT = ['26000', '42P05', '08P01'];
/** PgBouncer's answer to `begin` in statement mode. */
const NO_TRANSACTIONS = '08P01';

const CHECK = {
  name: 'bellhop pooler check',
  connections: 2,
  waitMs: 3_000,
  connectMs: 2_000,
  answerMs: 10_000,
  statementMs: 10_000,
  // Nothing may be set before it is known whose session it is.
  isPooled: true,
};

/** Others use the pooler, too, so one round might find the same session by chance. */
const ROUNDS = 3;

const PID = 'select pg_backend_pid() as pid';

/** Refuses what cannot work. Resolves to whether `url` leads to a pooler that changes sessions. */
export async function checkAddresses(
  { url, directUrl }: DatabaseUrls,
  { environment, log }: { environment: EnvironmentName; log: Log },
): Promise<{ isPooled: boolean }> {
  const variable = databaseVariable(environment);
  const direct = directVariable(environment);
  if (directUrl === undefined || directUrl === url) {
    const advice = directUrl
      ? `: ${direct} must lead to PostgreSQL itself`
      : `: name PostgreSQL itself in ${direct}`;
    await onAddress(url, { variable, log }, async (pool) => {
      if (await changesSessions(pool)) throw pooler(`in transaction mode${advice}`);
    });
    return { isPooled: false };
  }
  return onAddress(directUrl, { variable: direct, log }, async (itself) => {
    if (await changesSessions(itself)) {
      throw pooler('in transaction mode, but must lead to PostgreSQL itself');
    }
    return onAddress(url, { variable, log }, async (pool) => {
      if (!(await isSameDatabase(pool, itself))) {
        throw new ConfigError(
          `${variable} and ${direct} lead to different databases: both must lead to the same one.`,
        );
      }
      const isPooled = await changesSessions(pool);
      if (isPooled) await checkSessions(pool);
      return { isPooled };
    });
  });
}

/** What `check` throws becomes a sentence about this address. */
async function onAddress<T>(
  url: string,
  { variable, log }: { variable: string; log: Log },
  check: (pool: BoundedPool) => Promise<T>,
): Promise<T> {
  // Connections of their own: those of a thread may be too few.
  const pool = new BoundedPool({ ...CHECK, url, liveness: new Liveness(), log });
  try {
    return await check(pool);
  } catch (error) {
    if (!(error instanceof PoolerRefused)) throw explained(error, variable);
    throw new ConfigError(
      `${variable} leads to a pooler ${error.message}; see docs/operating/poolers.md.`,
    );
  } finally {
    await pool.close();
  }
}

class PoolerRefused extends Error {}
const pooler = (reason: string) => new PoolerRefused(reason);

/** In transaction mode, the sessions must be right as the pooler gives them to us. */
async function checkSessions(pool: BoundedPool): Promise<void> {
  // After the look for changes: a pooler that resets a session after each transaction has done it by now.
  const { rows } = await pool.query<{ name: string; value: string }>(
    'select name, current_setting(name) as value from unnest($1::text[]) as name',
    [REQUIRED_NAMES],
  );
  const wrong = wrongSettings(new Map(rows.map(({ name, value }) => [name, value])));
  if (wrong.length > 0) {
    throw pooler(
      `whose connections do not begin with the right ${wrong.join(', ')}: give its database ${connectQuery(wrong)}`,
    );
  }
  try {
    await changesSessions(pool, 'prepared');
  } catch (error) {
    if (!LOST_STATEMENT.includes(codeOf(error))) throw error;
    throw pooler(
      'that loses prepared statements: PgBouncer carries them from version 1.21, with max_prepared_statements above 0',
    );
  }
}

/**
 * While another connection holds the session that this one had, a pooler in transaction mode gives it a new one.
 * `prepared`: asks with a prepared statement, which is unknown in another session.
 */
async function changesSessions(pool: BoundedPool, prepared?: 'prepared'): Promise<boolean> {
  const pidOf = async (client: pg.PoolClient, query: pg.QueryConfig = { text: PID }) =>
    (await client.query<{ pid: number }>(query)).rows[0]?.pid;
  const query = { text: PID, ...(prepared && { name: 'bellhop pooler' }) };
  return onTwo(pool, async (one, other) => {
    const before = await pidOf(one, query);
    for (let round = 0; round < ROUNDS; round++) {
      await begin(other);
      const held = await pidOf(other);
      const pids = [await pidOf(one, query)];
      await other.query('commit');
      // Twice in a row: a pooler that takes turns gives the second of them to another session.
      pids.push(await pidOf(one, query), await pidOf(one, query));
      if (held === before || pids.some((pid) => pid !== before)) return true;
    }
    return false;
  });
}

/** An advisory lock that one of them holds is not free for the other, if both are in the same database. */
async function isSameDatabase(pool: BoundedPool, itself: BoundedPool): Promise<boolean> {
  const key = randomInt(2 ** 47);
  const holder = await pool.connect();
  try {
    await begin(holder);
    await holder.query('select pg_advisory_xact_lock($1)', [key]);
    const { rows } = await itself.query('select pg_try_advisory_xact_lock($1) as free', [key]);
    return rows[0]?.free === false;
  } finally {
    holder.release(true);
  }
}

async function begin(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('begin');
  } catch (error) {
    if (codeOf(error) !== NO_TRANSACTIONS) throw error;
    throw pooler('in statement mode, in which there are no transactions');
  }
}

async function onTwo<T>(
  pool: BoundedPool,
  use: (one: pg.PoolClient, other: pg.PoolClient) => Promise<T>,
): Promise<T> {
  const one = await pool.connect();
  const other = await pool.connect().catch((error) => {
    one.release(true);
    throw error;
  });
  try {
    return await use(one, other);
  } finally {
    // Not to be used again: the pooler may have mixed up what was prepared.
    one.release(true);
    other.release(true);
  }
}
