/**
 * Rewrites the tables with sealed values without the rows that PostgreSQL keeps after an update: their space is reused
 * later, but never cleared. A plain VACUUM leaves their bytes in the pages.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { PreconditionFailed } from '../../base/config/config.ts';

/** Sign-ins queue behind this lock from the moment on that it is asked for, and have 0.8 s. */
const LOCK_TIMEOUT = '500ms';
const LOCK_NOT_AVAILABLE = '55P03';
const LOOK_AGAIN_MS = 200;
/** For transactions of others, such as a dump. Those of nodes take milliseconds. */
export const OTHERS_END_MS = 30_000;

/** Keys, and midoffices for their headers. */
export const SEALED_TABLES = ['api_key', 'midoffice'] as const;

export async function rewriteSealed(pool: pg.Pool, waitMs = OTHERS_END_MS): Promise<void> {
  const client = await pool.connect();
  try {
    const giveUpAt = performance.now() + waitMs;
    await olderTransactionsEnd(client, giveUpAt);
    await client.query(`set lock_timeout = '${LOCK_TIMEOUT}'`);
    for (const table of SEALED_TABLES) {
      while (!(await tryToRewrite(client, table))) {
        await again(giveUpAt, `Another session, such as a dump, uses ${table} all the time`);
      }
    }
  } finally {
    // With its setting.
    client.release(true);
  }
}

/** VACUUM keeps the old version of a row as long as a transaction could still see it. */
async function olderTransactionsEnd(client: pg.PoolClient, giveUpAt: number): Promise<void> {
  const { rows: now } = await client.query('select pg_current_xact_id()::xid::text as xid');
  for (;;) {
    const { rows } = await client.query<{ holder: string }>(
      `with held (holder, xid) as (
         select format('process %s, %s', pid, application_name), unnest(array[backend_xid, backend_xmin])
           from pg_stat_activity
          where pid <> pg_backend_pid() and (datname = current_database() or datname is null)
         union all
         select 'replication slot ' || slot_name, xmin from pg_replication_slots
         union all
         select 'prepared transaction ' || gid, transaction
           from pg_prepared_xacts where database = current_database())
       select holder from held where age(xid) >= age($1::xid) limit 1`,
      [now[0]?.xid],
    );
    const [older] = rows;
    if (!older) return;
    await again(giveUpAt, `A transaction (${older.holder}) can still see the earlier values`);
  }
}

async function tryToRewrite(client: pg.PoolClient, table: string): Promise<boolean> {
  try {
    await client.query(`vacuum (full, analyze) ${table}`);
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

async function again(giveUpAt: number, why: string): Promise<void> {
  if (performance.now() >= giveUpAt) {
    throw new PreconditionFailed(`${why}; wait for its end, and run "bellhop reseal" again.`);
  }
  await sleep(LOOK_AGAIN_MS);
}
