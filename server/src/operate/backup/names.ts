/** Backups in a folder, by their names, which sort by time. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../base/config/config.ts';
import { BackupError, MANIFEST } from './manifest.ts';

const NAME = /^bellhop-\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}-\d{3}Z$/;
export const PARTIAL = '.partial';
/** A partial backup this old was interrupted: its process was killed. */
const ABANDONED_MS = 86_400_000;

export function backupName(now: Date): string {
  return `bellhop-${now.toISOString().replace(/[:.]/g, '-')}`;
}

/** Complete ones, the oldest first. */
export function backupsIn(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => NAME.test(name) && existsSync(join(folder, name, MANIFEST)))
    .sort()
    .map((name) => join(folder, name));
}

function namesIn(folder: string): string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch (error) {
    throw new ConfigError(
      `${folder} cannot be read as a folder (${(error as Error).message}); name the folder with the backups.`,
    );
  }
}

/** The backup itself, or the latest one in a folder of backups. */
export function findBackup(folder: string): string {
  if (existsSync(join(folder, MANIFEST))) return folder;
  const latest = backupsIn(folder).at(-1);
  if (latest) return latest;
  throw new ConfigError(
    `There is no complete backup of Bellhop in ${folder}; name the folder with the backups.`,
  );
}

/** The latest of those beside a backup that were made after it. */
export function laterBackup(backup: string): string | undefined {
  const own = resolve(backup);
  const latest = backupsIn(dirname(own)).at(-1);
  return latest !== undefined && NAME.test(basename(own)) && latest > own ? latest : undefined;
}

/** Deletes all but the newest ones, and what interrupted backups left. Returns the deleted backups. */
export function keepNewest(folder: string, count: number, now: Date): string[] {
  for (const name of namesIn(folder)) {
    if (!name.endsWith(PARTIAL) || !NAME.test(name.slice(0, -PARTIAL.length))) continue;
    const path = join(folder, name);
    if (now.getTime() - statSync(path).mtimeMs > ABANDONED_MS) remove(path);
  }
  const surplus = backupsIn(folder).slice(0, -count);
  for (const path of surplus) remove(path);
  return surplus;
}

function remove(path: string): void {
  try {
    rmSync(path, { recursive: true });
  } catch (error) {
    throw new BackupError(
      `The new backup is complete, but ${path} could not be deleted (${(error as Error).message}); delete it yourself.`,
    );
  }
}
