/** `manifest.json` says what a backup contains. It is written last, so a folder with one is complete. */
import { createHash } from 'node:crypto';
import { createReadStream, lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { PreconditionFailed } from '../../base/config/config.ts';
import { type EnvironmentName, environmentNames } from '../../base/config/settings.ts';
import { masterKeyNamedIn } from '../../base/sealing/sealed-key.ts';
import { masterKeyId, Vault } from '../../base/sealing/vault.ts';
import { masterKeyIdOfProof } from '../../store/identity.ts';
import { knownIdentity } from '../../store/sqlite/known-identity.ts';
import { masterKeyFile, readMasterKeys } from '../master-key-file.ts';

export const MANIFEST = 'manifest.json';
const FORMAT = 1;

/** The files of an embedded data folder that belong into a backup. */
export const databaseOf = (name: EnvironmentName) => `${name}/bellhop.db`;

export const BACK_OFFICES = ['back-office.db', 'back-office.sandbox.db'];
export const DATABASES = [
  ...environmentNames.flatMap((name) => [databaseOf(name), `${name}/admissions.db`]),
  ...BACK_OFFICES,
];
export const MASTER_KEY = 'master.key';
export const SECRETS = [MASTER_KEY, 'admin.token', 'admin.sandbox.token'];

const BACKED_UP: readonly string[] = [...DATABASES, ...SECRETS];

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
  /** Of all the above: a manifest that lost a line must not pass for whole. Earlier releases wrote none. */
  checksum?: string;
}

export interface BackedUpFile {
  /** Inside the backup and inside the data folder. */
  path: string;
  bytes: number;
  sha256: string;
  /** Of a database. */
  counts?: Record<string, number>;
}

export function newManifest(parts: Omit<Manifest, 'format' | 'checksum'>): Manifest {
  const manifest = { format: FORMAT, ...parts } as const;
  return { ...manifest, checksum: checksumOf(manifest) };
}

export function readManifest(folder: string): Manifest {
  const file = join(folder, MANIFEST);
  let manifest: Manifest;
  try {
    if (!lstatSync(file).isFile()) throw new Error(`${MANIFEST} is not a regular file`);
    manifest = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new BackupError(
      `${folder} is not a complete backup of Bellhop (${(error as Error).message}); choose another one.`,
    );
  }
  if (manifest?.format !== FORMAT || !Array.isArray(manifest.files)) {
    throw new BackupError(
      `${folder} was made by a release with another format of backups; restore it with that release.`,
    );
  }
  // The paths are copied from and to: none may lead out of the two folders.
  const stray = manifest.files.find((one) => !BACKED_UP.includes(one?.path));
  if (stray !== undefined) {
    const name = stray?.path ?? JSON.stringify(stray);
    throw new BackupError(`${file} names a strange file (${name}); choose another backup.`);
  }
  const { checksum, ...summed } = manifest;
  if (checksum !== undefined && checksum !== checksumOf(summed)) {
    throw new BackupError(`${file} was changed after the backup; choose another one.`);
  }
  return manifest;
}

function checksumOf(manifest: Omit<Manifest, 'checksum'>): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex');
}

/** A backup is what its manifest says, whole: with every database that is in its folder, and in no other place. */
export function refuseIncomplete(folder: string, { files, checksum }: Manifest): void {
  const named = files.map(({ path }) => path);
  const unnamed = BACKED_UP.find((path) => isInside(folder, path) && !named.includes(path));
  const environments = environmentNames.filter((name) =>
    named.some((path) => path.startsWith(`${name}/`)),
  );
  const empty = environments.find((name) => !named.includes(databaseOf(name)));
  const why =
    (unnamed && `its manifest does not name ${unnamed}`) ??
    (empty && `it has no ${databaseOf(empty)}`) ??
    (environments.length === 0 ? 'it has no environment' : undefined) ??
    // Only a checksum tells that no line was lost.
    (checksum === undefined && !BACK_OFFICES.some((path) => named.includes(path))
      ? 'it has no back office, and no checksum: made by an earlier release'
      : undefined);
  if (why) throw new BackupError(`${folder} is not a whole backup (${why}); choose another one.`);
}

/** A link could lead to another file than the backup's, and reading from a pipe could wait for ever. */
export function isInside(
  folder: string,
  path: string,
  advice = '; choose another backup.',
): boolean {
  const parent = lstatSync(dirname(join(folder, path)), { throwIfNoEntry: false });
  const isStray = dirname(path) !== '.' && parent?.isDirectory() === false;
  const file = isStray ? undefined : lstatSync(join(folder, path), { throwIfNoEntry: false });
  if (isStray || file?.isFile() === false) {
    throw new BackupError(`${join(folder, path)} is not a regular file${advice}`);
  }
  return file !== undefined;
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
export class BackupError extends PreconditionFailed {}

export interface BackedUpKeys {
  /** Ids of the keys in the key file that open the databases. */
  contained: string[];
  /** Ids of the other keys that the databases need. */
  missing: string[];
}

/**
 * Which master keys a backup contains, and which of those that its databases need it lacks. The key file alone
 * does not tell: after a change to BELLHOP_MASTER_KEY, it stays in the data folder but no longer opens anything.
 * Also of any other folder with the layout of a data folder.
 */
export function masterKeysOf(folder: string): BackedUpKeys {
  const kept = readMasterKeys(masterKeyFile(folder));
  const contained = new Set<string>();
  const missing = new Set<string>();
  for (const name of environmentNames) {
    const vault = kept && new Vault(kept[0], name, kept.slice(1));
    for (const proof of knownIdentity(join(folder, name))?.proofs ?? []) {
      const opening = vault && masterKeyIdOfProof(vault, proof);
      if (opening) contained.add(opening);
      else missing.add(masterKeyNamedIn(proof));
    }
  }
  // Databases without any proof have sealed nothing yet, so every key opens them.
  if (contained.size + missing.size === 0)
    for (const key of kept ?? []) contained.add(masterKeyId(key));
  return { contained: [...contained], missing: [...missing] };
}
