/**
 * Migrations have a connection of their own: one that rewrites a large table takes longer than any
 * other statement may, and so do the nodes that wait for another's migration.
 */
import { Kysely, PostgresDialect } from 'kysely';
import type { Log } from '../../log.ts';
import { DatabaseAway } from '../database-away.ts';
import { migrate } from '../migrations.ts';
import { SCHEMA } from './connection.ts';
import { Heartbeat } from './liveness.ts';
import { BoundedPool } from './pool.ts';

/** Only a net: a connection that leads nowhere is noticed by its keep-alive probes. */
const LONGEST_MS = 24 * 3_600_000;
const CONNECT_MS = 3_000;

export async function migratePostgres(url: string, log: Log): Promise<void> {
  const pool = new BoundedPool({
    url,
    name: 'bellhop migrations',
    connections: 1,
    waitMs: CONNECT_MS,
    connectMs: CONNECT_MS,
    answerMs: LONGEST_MS,
    statementMs: LONGEST_MS,
    heartbeat: new Heartbeat(),
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
    await migrate(db, 'postgres', SCHEMA);
  } catch (error) {
    // Without a connection Kysely cannot give its lock back either, and that is all it would say.
    throw away ?? error;
  } finally {
    await pool.close();
  }
}
