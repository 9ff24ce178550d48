/**
 * Databases do not clear what was deleted or replaced: the values under an old master key stay in free space, and
 * go into backups. So after everything is sealed again, everything with sealed values is rewritten.
 */
import { PreconditionFailed } from '../../base/config/config.ts';
import type { DirectDatabase } from '../../store/direct/database.ts';

const MIB = 1_048_576;
/**
 * Running processes wait while it is written: 32 MiB took a quarter of a second of processor time on SQLite, and as
 * much on PostgreSQL.
 */
const MOST_BESIDE_SERVERS_BYTES = 32 * MIB;

export interface OverwriteOptions {
  /** However long running processes wait. Only on PostgreSQL: beside SQLite, their writes would fail after 5 s. */
  mayPause: boolean;
}

export async function overwriteOldCopies(
  database: DirectDatabase,
  { mayPause }: OverwriteOptions,
): Promise<void> {
  const bytes = await database.bytesToRewrite();
  const canPause = database.engine === 'postgres';
  const isSmall = bytes <= MOST_BESIDE_SERVERS_BYTES;
  if (isSmall || (canPause && mayPause) || (await database.masterKeysInUse()).length === 0) {
    await database.rewriteSealed();
    return;
  }
  const orPause = canPause ? ', or pass --pause' : '';
  throw new PreconditionFailed(
    `${database.where}: every value is sealed again, but copies under an earlier master key may be left in its free space. Overwriting them means writing ${Math.ceil(bytes / MIB).toLocaleString('en')} MiB, and the running Bellhop would wait for it; stop Bellhop and run "bellhop reseal" again${orPause}.`,
  );
}
