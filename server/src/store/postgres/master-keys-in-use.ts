/**
 * Each node shows its master keys to the others as shared advisory locks, which PostgreSQL releases however
 * the node ends. The id of a key is the second half of the lock; nobody ever waits for one.
 */
import { type Kysely, sql } from 'kysely';
import { PreconditionFailed } from '../../base/config/config.ts';
import type { MasterKeysInUse } from '../master-keys-in-use.ts';
import type { Schema } from '../schema.ts';

/** "bell" in ASCII, and the number after it. */
const CURRENT = 0x62656c6c;
const KNOWN = CURRENT + 1;

/** For the session that a node always has. */
export function showMasterKeys([current, ...previous]: readonly string[]): string {
  const known = [current, ...previous].map((id) => lock(KNOWN, id));
  return [lock(CURRENT, current), ...known].join(';');
}

function lock(kind: number, id = ''): string {
  // The 32 bits as the signed integer that PostgreSQL takes.
  return `select pg_advisory_lock_shared(${kind}, ${Number.parseInt(id, 16) | 0})`;
}

export async function readMasterKeysInUse(
  db: Pick<Kysely<unknown>, 'getExecutor'>,
): Promise<MasterKeysInUse[]> {
  const { rows } = await sql<{ pid: number; kind: number; id: number }>`
    select pid, classid::bigint as kind, objid::bigint as id from pg_locks
     where locktype = 'advisory' and objsubid = 2 and granted
       and database = (select oid from pg_database where datname = current_database())
       and classid in (${sql.lit(CURRENT)}, ${sql.lit(KNOWN)})`.execute(db);
  const idOf = ({ id }: { id: number }) => Number(id).toString(16).padStart(8, '0');
  return [...Map.groupBy(rows, ({ pid }) => pid).values()].flatMap((ofNode) => {
    const current = ofNode.find(({ kind }) => Number(kind) === CURRENT);
    const known = ofNode.filter(({ kind }) => Number(kind) === KNOWN).map(idOf);
    return current ? [{ current: idOf(current), known }] : [];
  });
}

/** The key of the lock that nodes hold while they start, and `bellhop move` while it moves. */
export const ONE_BEGINS = `hashtext('bellhop master keys')`;
/** Others hold it for milliseconds, except for a move. */
const WAIT = '10s';
const LOCK_NOT_AVAILABLE = '55P03';

/** Until the end of the transaction, no node can start and no resealing can end. */
export async function lockMasterKeys(transaction: Kysely<Schema>): Promise<void> {
  try {
    await sql`set local lock_timeout = ${sql.lit(WAIT)}`.execute(transaction);
    await sql`select pg_advisory_xact_lock(${sql.raw(ONE_BEGINS)})`.execute(transaction);
  } catch (error) {
    if ((error as { code?: string }).code !== LOCK_NOT_AVAILABLE) throw error;
    throw new PreconditionFailed(
      'The database is being moved by "bellhop move"; wait until that has ended.',
      'busy',
    );
  }
}
