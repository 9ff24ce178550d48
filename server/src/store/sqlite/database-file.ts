/**
 * How an embedded database is opened, an environment's and the back office's alike: checked, migrated, and watched
 * while it is open. Only the first thread of a process checks and migrates; the other one attaches.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Kysely } from 'kysely';
import { ConfigError } from '../../base/config/config.ts';
import { closeAll } from '../../base/disposal.ts';
import type { Log } from '../../base/log.ts';
import { migrateEmbedded } from '../migrations/migrate.ts';
import type { StorageHealth } from '../storage-health.ts';
import { type StorageTrouble, storageTroubleOf } from '../storage-trouble.ts';
import type { TableSet } from '../table-sets.ts';
import { connect, kyselyOn } from './connection.ts';
import { refuseIfDamaged, startDamageCheck } from './damage-check.ts';
import { privateFile } from './folder.ts';
import { FolderWatch } from './folder-watch.ts';

/** What to do about disk trouble that keeps Bellhop from starting. */
const BEFORE_A_START: Record<StorageTrouble, string> = {
  storage_full: 'free some space on its disk',
  storage_read_only: 'make its disk writable',
  storage_failing: 'check its disk and its permissions',
  storage_gone: 'find out what deletes or moves it',
  storage_damaged: 'restore a backup (docs/operating/damaged-database.md)',
};

/** What `open` has opened is closed again if it fails. `where` begins a sentence. */
export async function opening<T>(
  where: string,
  open: (closing: AsyncDisposableStack) => Promise<T>,
): Promise<T> {
  const closing = new AsyncDisposableStack();
  try {
    return await open(closing);
  } catch (error) {
    // What failed first says more than what could not be closed after it.
    await closeAll(closing).catch(() => {});
    const trouble = storageTroubleOf(error);
    if (!trouble) throw error;
    throw new ConfigError(
      `${where} cannot be opened (${(error as Error).message}); ${BEFORE_A_START[trouble]} and start Bellhop again.`,
      trouble === 'storage_damaged' ? 'data' : 'unavailable',
    );
  }
}

export async function openFile<Tables>(
  file: string,
  parts: { where: string; tables: TableSet; health: StorageHealth; attach: boolean },
  closing: AsyncDisposableStack,
): Promise<{ connection: DatabaseSync; db: Kysely<Tables> }> {
  const { where, tables, health, attach } = parts;
  const connection = connect(privateFile(file));
  closing.defer(() => connection.close());
  const db = kyselyOn<Tables>(connection, health);
  if (!attach) {
    refuseIfDamaged(file);
    await migrateEmbedded(db, tables, where);
  }
  return { connection, db };
}

/** Once all files are open: notices when one is deleted or replaced, and looks for damage in large databases. */
export async function watchFiles(
  { databases, others = [] }: { databases: readonly string[]; others?: readonly string[] },
  parts: {
    health: StorageHealth;
    attach: boolean;
    log?: Log | undefined;
    onGone?: ((error: Error) => void) | undefined;
  },
  closing: AsyncDisposableStack,
): Promise<FolderWatch> {
  const { health, attach, log, onGone } = parts;
  const files = [...others, ...databases.flatMap((file) => [file, `${file}-wal`])];
  const watch = await FolderWatch.start(files, (error) => {
    health.note(error);
    onGone?.(error);
  });
  if (!attach) {
    const damageCheck = startDamageCheck(databases, { health, log });
    closing.defer(() => damageCheck.stop());
  }
  closing.defer(() => watch.stop());
  return watch;
}
