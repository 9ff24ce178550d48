/**
 * Sessions that can only read. PostgreSQL takes `default_transaction_read_only` of a role or database over when a session
 * begins, and an address that led to a standby may lead to the primary later. So such a session would stay read-only after
 * the database can be written to again. It is not kept for long, and the next one shows what is true now.
 *
 * The server's own reports of these settings are of no use here: PgBouncer repeats to every client what its first
 * connection was told.
 */
import type pg from 'pg';
import { codeOf } from './connection.ts';

/** How long a connection is used whose session can only read. Also how often such a server is asked again. */
export const READ_ONLY_SECONDS = 1;

/** The last of the statements that open a session. */
export const IS_READ_ONLY = 'show transaction_read_only';

export function isReadOnly(last: pg.QueryResult | undefined): boolean {
  return last?.rows[0]?.transaction_read_only === 'on';
}

/**
 * Poolers keep sessions for longer than we keep connections. A session that is read-only by a setting which its role and
 * database no longer have ends itself, and the pooler opens another one. Only a pooler has such sessions.
 */
export const END_OUTDATED_SESSION = `
  select pg_terminate_backend(pg_backend_pid()) from pg_settings
   where name = 'default_transaction_read_only' and setting = 'on'
     and source in ('global', 'database', 'user', 'database user')
     and not exists (
       select from pg_db_role_setting s, unnest(s.setconfig) as one
        where s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
          and s.setrole in (0, (select oid from pg_roles where rolname = session_user))
          and split_part(one, '=', 1) = 'default_transaction_read_only'
          and split_part(one, '=', 2)::boolean)`;

const TERMINATED = '57P01';
/** More than a pooler has for one database. */
const MOST_SESSIONS = 200;

/** Asks until the pooler gives us a session that is not outdated. */
export async function endOutdatedSessions(pool: pg.Pool): Promise<void> {
  for (let asked = 0; asked < MOST_SESSIONS; asked++) {
    try {
      await pool.query(END_OUTDATED_SESSION);
      return;
    } catch (error) {
      if (codeOf(error) !== TERMINATED) throw error;
    }
  }
}
