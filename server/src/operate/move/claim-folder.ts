/** Takes a data folder for a move, so that no server starts on it, and clears what an interrupted move left. */
import { existsSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { EnvironmentName } from '../../base/config/settings.ts';
import { makeFolder, refuseHalfRestored, syncToDisk } from '../../base/folders.ts';
import { backOfficeFile } from '../../store/back-office/sqlite.ts';
import { LOCK_FILE, tryToHold } from '../../store/sqlite/folder.ts';
import { hasDatabase } from '../../store/sqlite/known-identity.ts';
import { DRAFT } from './draft.ts';

/**
 * Before anything else, even before the source answers. Returns a function that undoes it, for a move that fails.
 */
export function claimFolder(dataDir: string, name: EnvironmentName): () => void {
  const draft = join(dataDir, name) + DRAFT;
  if (hasDatabase(join(dataDir, name)) || existsSync(draft)) return () => {};
  refuseHalfRestored(dataDir);
  const isNew = !existsSync(dataDir);
  makeFolder(dataDir, '--to');
  makeFolder(draft, '--to');
  syncToDisk(dataDir);
  if (isNew) syncToDisk(dirname(resolve(dataDir)));
  return () => {
    // It is published by now, or another move has taken it over.
    const lock = existsSync(draft) ? tryToHold(draft) : undefined;
    if (!lock) return;
    lock.close();
    removeDatabase(backOfficeFile(dataDir, name) + DRAFT);
    rmSync(draft, { recursive: true });
    if (isNew && readdirSync(dataDir).length === 0) rmdirSync(dataDir);
  };
}

/** Takes over what an interrupted move left, except for the folder itself: without it, a server would start. */
export function emptyDraft(draft: string): void {
  for (const name of readdirSync(draft)) {
    if (!name.startsWith(LOCK_FILE)) rmSync(join(draft, name), { recursive: true });
  }
}

/** With its log: SQLite would take that for the log of the next file of this name. */
export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(file + end, { force: true });
}
