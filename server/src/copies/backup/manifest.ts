/** `manifest.json` says what a backup contains. It is written last, so a folder with one is complete. */
import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

export interface Manifest {
  format: typeof FORMAT;
  /** The release that made it. */
  bellhop: string;
  created_at: string;
  /** Ids of the master keys that are in it and open its databases; none if they are kept elsewhere. */
  master_keys: string[];
  /** Ids of the other master keys that its databases need. */
  missing_master_keys: string[];
  files: BackedUpFile[];
}

export interface BackedUpFile {
  /** Inside the backup and inside the data folder. */
  path: string;
  bytes: number;
  sha256: string;
  /** Of a database. */
  counts?: Record<string, number>;
}

export function newManifest(parts: Omit<Manifest, 'format'>): Manifest {
  return { format: FORMAT, ...parts };
}

export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  let manifest: Manifest;
  try {
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BackupError(
      `${folder} is not a complete backup of Bellhop (${(error as Error).message}); choose another one.`,
    );
  }
  if (manifest.format !== FORMAT || !Array.isArray(manifest.files)) {
    throw new BackupError(
      `${folder} was made by a release with another format of backups; restore it with that release.`,
    );
  }
  // The paths are copied from and to: none may lead out of the two folders.
  const stray = manifest.files.find(({ path }) => !/^(\w[\w.-]*\/)?\w[\w.-]*$/.test(String(path)));
  if (stray) {
    throw new BackupError(`${file} names a strange file (${stray.path}); choose another backup.`);
  }
  return manifest;
}

export async function describeFile(
  folder: string,
  path: string,
  counts?: Record<string, number>,
): Promise<BackedUpFile> {
  const file = join(folder, path);
  const described = { path, bytes: statSync(file).size, sha256: await sha256Of(file) };
  return counts ? { ...described, counts } : described;
}

export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file, { highWaterMark: 1_048_576 }), hash);
  return hash.digest('hex');
}

/** A backup or a restore did not succeed. The message says what to do next. */
export class BackupError extends Error {}
