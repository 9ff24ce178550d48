/**
 * Settings of a PostgreSQL server that no session can change, and with which it may lose what it has confirmed. They are
 * not refused: some file systems need no `full_page_writes`, and databases for tests need neither.
 */
import type pg from 'pg';
import type { Log } from '../../base/log.ts';

const RISKS = {
  fsync: 'a crash of its machine may damage the database and lose events that were accepted',
  full_page_writes:
    'a crash of its machine may damage the database, unless the file system never writes a part of a page',
};

export async function warnOfUnsafeServer(pool: pg.Pool, where: string, log: Log): Promise<void> {
  const { rows } = await pool.query<{ setting: keyof typeof RISKS }>(
    "select name as setting from pg_settings where name = any($1) and setting = 'off'",
    [Object.keys(RISKS)],
  );
  for (const { setting } of rows) {
    log.warn({ setting }, `${where} is on a server with ${setting} = off: ${RISKS[setting]}`);
  }
}
