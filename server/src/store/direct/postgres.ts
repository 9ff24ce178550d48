import { Kysely, PostgresDialect } from 'kysely';
import { PreconditionFailed } from '../../base/config/config.ts';
import type { Log } from '../../base/log.ts';
import { Liveness } from '../postgres/liveness.ts';
import { lockMasterKeys, readMasterKeysInUse } from '../postgres/master-keys-in-use.ts';
import { BoundedPool } from '../postgres/pool.ts';
import { rewriteSealed, SEALED_TABLES } from '../postgres/rewrite-sealed.ts';
import type { Schema } from '../schema.ts';
import { type DirectDatabase, refuseOtherRelease } from './database.ts';

const CONNECT_MS = 5_000;
/** Nobody waits for a command as a partner waits for a reply. */
const ANSWER_MS = 600_000;

/** `where` names the database in messages. */
export async function openPostgresDirectly(
  url: string,
  where: string,
  log: Log,
): Promise<DirectDatabase> {
  const pool = commandPool(url, log);
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
  try {
    await reachForCommand(pool, where);
    await refuseOtherRelease(db, where);
  } catch (error) {
    await pool.close();
    throw error;
  }
  return {
    engine: 'postgres',
    db,
    where,
    masterKeysInUse: (on = db) => readMasterKeysInUse(on),
    lockMasterKeys,
    async bytesToRewrite() {
      const { rows } = await pool.query(
        'select sum(pg_total_relation_size(name::regclass)) as bytes from unnest($1::text[]) as name',
        [SEALED_TABLES],
      );
      return Number(rows[0]?.bytes);
    },
    rewriteSealed: () => rewriteSealed(pool),
    close: () => pool.close(),
  };
}

export function commandPool(url: string, log: Log): BoundedPool {
  return new BoundedPool({
    url,
    name: 'bellhop command',
    connections: 4,
    waitMs: CONNECT_MS,
    connectMs: CONNECT_MS,
    answerMs: ANSWER_MS,
    statementMs: ANSWER_MS,
    liveness: new Liveness(),
    log,
  });
}

export async function reachForCommand(pool: BoundedPool, where: string): Promise<void> {
  try {
    await pool.query('select 1');
  } catch (error) {
    // pg's own message contains no password.
    throw new PreconditionFailed(
      `${where} cannot be opened (${(error as Error).message}); check that it runs, and its address.`,
    );
  }
}
