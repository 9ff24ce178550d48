import { join } from 'node:path';
import { connect, kyselyOn } from '../sqlite/connection.ts';
import { tryToHold } from '../sqlite/folder.ts';
import { readNotedKeys } from '../sqlite/keys-in-use.ts';
import { StorageHealth } from '../storage-health.ts';
import { type DirectDatabase, refuseOtherRelease } from './database.ts';

/** If no server runs on the folder, none can start on it until this is closed. */
export async function openSqliteDirectly(folder: string): Promise<DirectDatabase> {
  const where = `The database in ${folder}`;
  const lock = tryToHold(folder);
  const connection = connect(join(folder, 'bellhop.db'));
  const health = new StorageHealth(async () => {});
  const db = kyselyOn(connection, health);
  const close = async () => {
    await health.stop();
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
    keysInUse: async (on = db) => (lock ? [] : [await readNotedKeys(on)]),
    // The folder's lock does it.
    lockMasterKeys: async () => {},
    close,
  };
}
