/** Watches the age of the newest backup, so that an alert can say that backups have stopped. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metrics } from '../../base/metrics.ts';
import { PARTIAL } from './names.ts';

const LOOK_EVERY_MS = 60_000;

/** Resolves once it has looked; call the result to end it. */
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
export async function newestBackupMs(folder: string): Promise<number> {
  let newestMs = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    if (name.startsWith('.') || name.endsWith(PARTIAL)) continue;
    // It may have been deleted meanwhile.
    const found = await stat(join(folder, name)).catch(() => undefined);
    newestMs = Math.max(newestMs, found?.mtimeMs ?? 0);
  }
  return newestMs;
}
