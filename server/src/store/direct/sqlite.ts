import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { PreconditionFailed } from '../../base/config/config.ts';
import { connect, kyselyOn } from '../sqlite/connection.ts';
import { bytesOf } from '../sqlite/damage.ts';
import { tryToHold } from '../sqlite/folder.ts';
import { readNotedMasterKeys } from '../sqlite/master-keys-in-use.ts';
import { storageTroubleOf } from '../storage-trouble.ts';
import { type DirectDatabase, refuseOtherRelease } from './database.ts';

/** If no server runs on the folder, none can start on it until this is closed. */
export async function openSqliteDirectly(folder: string): Promise<DirectDatabase> {
  const where = `The database in ${folder}`;
  const lock = tryToHold(folder);
  const file = join(folder, 'bellhop.db');
  const connection = connect(file);
  // What a command replaces is overwritten with zeros at once.
  connection.exec('pragma secure_delete = on');
  const db = kyselyOn(connection);
  const close = async () => {
    connection.close();
    lock?.close();
  };
  try {
    await refuseOtherRelease(db, where);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    engine: 'sqlite',
    db,
    where,
    masterKeysInUse: async (on = db) => (lock ? [] : [await readNotedMasterKeys(on)]),
    // The folder's lock does it.
    lockMasterKeys: async () => {},
    bytesToRewrite: async () => bytesOf(file),
    rewriteSealed: async () => rewrite(connection, where),
    close,
  };
}

/** Pages of deleted rows, unused parts of pages and the log: none of them is left. */
function rewrite(connection: DatabaseSync, where: string): void {
  try {
    connection.exec('vacuum');
  } catch (error) {
    if (storageTroubleOf(error) !== 'storage_full') throw error;
    throw new PreconditionFailed(
      `${where} cannot be rewritten without more free space: it needs its size once more in its folder and in the temporary one (SQLITE_TMPDIR); free some and run the command again.`,
    );
  }
  const outcome = connection.prepare('pragma wal_checkpoint(truncate)').get();
  if (outcome?.busy === 0) return;
  throw new PreconditionFailed(
    `${where} is being read, perhaps by "bellhop backup", so that its log cannot be cleared; wait for the end of that, and run the command again.`,
  );
}
