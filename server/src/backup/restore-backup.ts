/** Restores a backup into a new data folder, after checking every file of it. */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { syncToDisk } from '../folders.ts';
import { inspectCopy } from '../store/backup/inspect.ts';
import { BackupError } from './backup-error.ts';
import { type Manifest, readManifest, sha256Of } from './manifest.ts';

export async function restoreBackup(
  backup: string,
  into: string,
): Promise<{ manifest: Manifest; hasMasterKey: boolean }> {
  const target = resolve(into);
  if (existsSync(target) && readdirSync(target).length > 0) {
    throw new BackupError(
      `${into} is not empty, and may belong to a running Bellhop; name a folder that does not exist yet.`,
    );
  }
  const manifest = readManifest(backup);
  for (const file of manifest.files) await check(backup, file);
  const draft = `${target}.restoring-${process.pid}`;
  process.umask(0o077);
  try {
    mkdirSync(draft, { recursive: true });
    for (const { path } of manifest.files) {
      mkdirSync(dirname(join(draft, path)), { recursive: true });
      copyFileSync(join(backup, path), join(draft, path));
      chmodSync(join(draft, path), 0o600);
    }
    for (const { path, sha256 } of manifest.files) {
      if ((await sha256Of(join(draft, path))) !== sha256) throw new Error(`${path} was cut short`);
      syncToDisk(join(draft, path));
    }
    // All or nothing: until now, the target did not exist or was empty.
    renameSync(draft, target);
    syncToDisk(dirname(target));
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw new BackupError(
      `The backup could not be restored to ${into} (${(error as Error).message}); nothing was left there. Correct the cause and try again.`,
    );
  }
  return { manifest, hasMasterKey: manifest.master_keys.length > 0 };
}

async function check(backup: string, { path, sha256, counts }: Manifest['files'][number]) {
  const file = join(backup, path);
  try {
    if ((await sha256Of(file)) !== sha256) throw new Error('its checksum differs');
    if (counts) inspectCopy(file);
  } catch (error) {
    throw new BackupError(
      `${file} is not as it was backed up (${(error as Error).message}); restore another backup.`,
    );
  }
}
