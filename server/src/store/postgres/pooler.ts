/**
 * Whether Bellhop can work through what `…_DATABASE_URL` leads to. A pooler such as PgBouncer may give each transaction
 * another session of PostgreSQL. Then a session's settings are lost, so the pooler itself must set the schema, and what
 * needs a session of its own needs PostgreSQL itself. This is found out at the start, and not later by errors that
 * come and go with the load.
 */
import type pg from 'pg';
import { ConfigError, databaseVariable, directVariable } from '../../config/config.ts';
import type { EnvironmentName } from '../../config/settings.ts';
import type { Log } from '../../log.ts';
import { environmentTables } from '../table-sets.ts';
import { Liveness } from './liveness.ts';
import { BoundedPool } from './pool.ts';

/** An unknown prepared statement, one that exists already, and a message that the server does not expect. */
const LOST_STATEMENT = ['26000', '42P05', '08P01'];

const CHECK = {
  name: 'bellhop pooler check',
  connections: 2,
  waitMs: 3_000,
  connectMs: 2_000,
  answerMs: 10_000,
  statementMs: 10_000,
};

const PID = 'select pg_backend_pid() as pid';

/** `isPooled`: the operator says so, by naming the address of PostgreSQL itself. */
export async function checkPooler(
  url: string,
  { environment, isPooled, log }: { environment: EnvironmentName; isPooled: boolean; log: Log },
): Promise<void> {
  // Two connections of their own: the pools of a thread may have only one, and are not in use yet.
  const pool = new BoundedPool({ ...CHECK, url, isPooled, liveness: new Liveness(), log });
  try {
    await check(pool, environment, isPooled);
  } finally {
    await pool.close();
  }
}

async function check(
  pool: BoundedPool,
  environment: EnvironmentName,
  isPooled: boolean,
): Promise<void> {
  const refused = (reason: string) =>
    new ConfigError(
      `${databaseVariable(environment)} leads to a pooler ${reason}; see docs/operating/poolers.md.`,
    );
  if (isPooled) {
    const { schema } = environmentTables;
    const { rows } = await pool.query<{ search_path: string }>('show search_path');
    if (rows[0]?.search_path !== schema) {
      throw refused(
        `whose connections do not begin in the schema "${schema}": give its database connect_query='set search_path to ${schema}'`,
      );
    }
  }
  if (!(await changesSessions(pool, { text: PID }))) return;
  if (!isPooled) {
    throw refused(`in transaction mode: name PostgreSQL itself in ${directVariable(environment)}`);
  }
  try {
    await changesSessions(pool, { name: 'bellhop pooler', text: PID });
  } catch (error) {
    if (!LOST_STATEMENT.includes((error as { code?: string }).code ?? '')) throw error;
    throw refused(
      'that loses prepared statements: PgBouncer carries them from version 1.21, with max_prepared_statements above 0',
    );
  }
}

/** While another connection holds the session that this one had, a pooler in transaction mode gives it a new one. */
async function changesSessions(pool: BoundedPool, query: pg.QueryConfig): Promise<boolean> {
  const pidOf = async (client: pg.PoolClient) =>
    (await client.query<{ pid: number }>(query)).rows[0]?.pid;
  const [one, other] = [await pool.connect(), await pool.connect()];
  try {
    const before = await pidOf(one);
    await other.query('begin');
    await pidOf(other);
    const after = await pidOf(one);
    await other.query('commit');
    return before !== after;
  } finally {
    // Not to be used again: the pooler may have mixed up what was prepared.
    one.release(true);
    other.release(true);
  }
}
