/** Backups in a folder, by their names, which sort by time, and the age of the newest. */
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { ConfigError } from '../../base/config/config.ts';
import type { Metrics } from '../../base/metrics.ts';
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

const LOOK_EVERY_MS = 60_000;

/** So that an alert can say that backups have stopped. Resolves once it has looked; call the result to end it. */
export async function watchBackups(folder: string, metrics: Metrics): Promise<() => void> {
  let newestMs = await newestBackupMs(folder);
  const timer = setInterval(async () => {
    newestMs = await newestBackupMs(folder);
  }, LOOK_EVERY_MS).unref();
  metrics.gauge(
    'bellhop_backup_newest_timestamp_seconds',
    'When the newest backup in BELLHOP_BACKUP_DIR was written, in seconds since 1970; 0 if there is none. Read every minute.',
    {},
    () => Math.floor(newestMs / 1_000),
  );
  return () => clearInterval(timer);
}

/** Of files and folders alike, because dumps of PostgreSQL are files. 0 if there is none, or none can be read. */
async function newestBackupMs(folder: string): Promise<number> {
  let newestMs = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith('.') || name.endsWith(PARTIAL)) continue;
    // It may have been deleted meanwhile.
    const found = await stat(join(folder, name)).catch(() => undefined);
    newestMs = Math.max(newestMs, found?.mtimeMs ?? 0);
  }
  return newestMs;
}
