/**
 * A backup of an embedded data folder: all of its databases as they were at one moment, and the generated
 * secrets. It is made under a temporary name, checked, and renamed only when it is complete.
 */
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConfigError } from '../../base/config/config.ts';
import { environmentNames } from '../../base/config/settings.ts';
import {
  createFolders,
  makeFolder,
  refuseHalfRestored,
  syncToDisk,
  syncTreeToDisk,
} from '../../base/folders.ts';
import { VERSION } from '../../base/version.ts';
import { refuseHalfMoved } from '../move/draft.ts';
import { copyTogether, inspectCopy } from './copy.ts';
import {
  type BackedUpFile,
  BackupError,
  DATABASES,
  describeFile,
  MANIFEST,
  type Manifest,
  masterKeysOf,
  newManifest,
  SECRETS,
} from './manifest.ts';
import { backupName, PARTIAL } from './names.ts';

export interface BackupOptions {
  dataDir: string;
  /** The backup becomes a folder in here. */
  into: string;
  withSecrets: boolean;
  now: Date;
  onProgress(donePages: number, totalPages: number): void;
}

export async function takeBackup(
  options: BackupOptions,
): Promise<{ folder: string; manifest: Manifest }> {
  const { dataDir, into, withSecrets, now, onProgress } = options;
  refuseHalfRestored(dataDir);
  for (const name of environmentNames) refuseHalfMoved(dataDir, name);
  const databases = DATABASES.filter((path) => existsSync(join(dataDir, path)));
  if (!databases.some((path) => path.endsWith('/bellhop.db'))) {
    throw new ConfigError(`There is no embedded database in ${dataDir}; check BELLHOP_DATA_DIR.`);
  }
  const secrets = withSecrets ? SECRETS.filter((path) => existsSync(join(dataDir, path))) : [];
  const folder = join(into, backupName(now));
  const draft = folder + PARTIAL;
  if (existsSync(folder)) throw new BackupError(`${folder} exists already; try again.`);
  // By default, everyone could read the files that SQLite creates.
  process.umask(0o077);
  makeFolder(into, '[folder]');
  try {
    for (const path of databases) createFolders(dirname(join(draft, path)));
    const copies = databases.map((path) => ({ from: join(dataDir, path), to: join(draft, path) }));
    await copyTogether(copies, onProgress);
    for (const path of secrets) {
      copyFileSync(join(dataDir, path), join(draft, path));
      chmodSync(join(draft, path), 0o600);
    }
    const files: BackedUpFile[] = [];
    for (const path of databases) {
      files.push(await describeFile(draft, path, inspectCopy(join(draft, path))));
    }
    for (const path of secrets) files.push(await describeFile(draft, path));
    const { contained, missing } = masterKeysOf(draft);
    const manifest = newManifest({
      bellhop: VERSION,
      created_at: now.toISOString(),
      master_keys: contained,
      missing_master_keys: missing,
      files,
    });
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    writeFileSync(join(draft, MANIFEST), text);
    syncTreeToDisk(draft);
    renameSync(draft, folder);
    syncToDisk(into);
    return { folder, manifest };
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    if (error instanceof BackupError) throw error;
    throw new BackupError(
      `The backup failed (${(error as Error).message}); its files were deleted. Correct the cause and try again.`,
    );
  }
}
