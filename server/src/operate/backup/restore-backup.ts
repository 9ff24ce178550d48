/**
 * Restores a backup into a new data folder, after checking every file of it. The files are first copied to a
 * folder inside the new one, because only that is sure to be writable and on the same disk: in a container, the
 * data folder is the root of a volume. While that inner folder exists, no server starts on the data folder.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ConfigError } from '../../base/config/config.ts';
import { environmentNames } from '../../base/config/settings.ts';
import { makeFolder, RESTORING, syncToDisk, syncTreeToDisk } from '../../base/folders.ts';
import { type BroughtBack, broughtBack } from './brought-back.ts';
import { inspectCopy } from './copy.ts';
import {
  BACK_OFFICES,
  type BackedUpKeys,
  BackupError,
  databaseOf,
  type Manifest,
  masterKeysOf,
  readManifest,
  refuseIncomplete,
  sha256Of,
} from './manifest.ts';
import { laterBackup } from './names.ts';

/** In the root of a new volume of ext4. */
const OF_THE_FILE_SYSTEM = 'lost+found';

interface Restored {
  manifest: Manifest;
  keys: BackedUpKeys;
  /** Undefined if there is nothing newer to compare with. */
  compared: Comparison | undefined;
}

export interface Comparison {
  with: string;
  found: BroughtBack[];
  /** Why the newer data could not be read. */
  failure?: string;
}

/** `replaced` is the data folder that the new one replaces, if it is still there. */
export async function restoreBackup(
  backup: string,
  into: string,
  { replaced, nowMs = Date.now() }: { replaced?: string | undefined; nowMs?: number } = {},
): Promise<Restored> {
  const target = resolve(into);
  refuseUsed(target, into);
  const manifest = readManifest(backup);
  refuseIncomplete(backup, manifest);
  for (const file of manifest.files) await check(backup, file);
  const keys = masterKeysOf(backup);
  const newer = replaced ?? laterBackup(backup);
  const compared =
    newer === undefined ? undefined : compare(backup, newer, nowMs, replaced !== undefined);
  process.umask(0o077);
  const isNew = !existsSync(target);
  const draft = join(target, RESTORING);
  makeFolder(target, '--into');
  try {
    mkdirSync(draft);
  } catch (error) {
    throw failed(into, error);
  }
  const published: string[] = [];
  try {
    await copyFiles(backup, draft, manifest);
    endSignIns(draft, nowMs);
    syncTreeToDisk(draft);
    for (const name of environmentsLast(draft)) {
      published.push(name);
      renameSync(join(draft, name), join(target, name));
    }
    syncToDisk(target);
    rmdirSync(draft);
    syncToDisk(target);
    if (isNew) syncToDisk(dirname(target));
  } catch (error) {
    for (const name of [RESTORING, ...published]) {
      rmSync(join(target, name), { recursive: true, force: true });
    }
    if (isNew) rmSync(target, { recursive: true, force: true });
    throw failed(into, error);
  }
  return { manifest, keys, compared };
}

function refuseUsed(target: string, into: string): void {
  if (!existsSync(target)) return;
  let names: string[];
  try {
    names = readdirSync(target).filter((name) => name !== OF_THE_FILE_SYSTEM);
  } catch (error) {
    throw new ConfigError(
      `${into} cannot be read as a folder (${(error as Error).message}); name a folder that does not exist yet.`,
    );
  }
  if (names.includes(RESTORING)) {
    throw new BackupError(
      `${into} has the remains of a restore that was interrupted, or one is under way; delete what is in it, including ${RESTORING}, and try again.`,
    );
  }
  if (names.length > 0) {
    throw new ConfigError(
      `${into} is not empty, and may belong to a running Bellhop; name a folder that does not exist yet.`,
    );
  }
}

async function copyFiles(backup: string, draft: string, { files }: Manifest): Promise<void> {
  for (const { path } of files) {
    mkdirSync(dirname(join(draft, path)), { recursive: true });
    copyFileSync(join(backup, path), join(draft, path));
    chmodSync(join(draft, path), 0o600);
  }
  for (const { path, sha256 } of files) {
    if ((await sha256Of(join(draft, path))) !== sha256) throw new Error(`${path} was cut short`);
  }
}

/** The newer data may be damaged; that may even be why there is a restore. */
function compare(backup: string, newer: string, nowMs: number, isNamed: boolean): Comparison {
  try {
    // A data folder that somebody names may be a link, as systemd makes them; a backup that was found may not.
    if (!isNamed && !lstatSync(newer).isDirectory()) throw new Error(`${newer} is not a folder`);
    return { with: newer, found: broughtBack(backup, newer, nowMs) };
  } catch (error) {
    return { with: newer, found: [], failure: (error as Error).message };
  }
}

/** An environment that is there has its master key and its back office, too. */
function environmentsLast(draft: string): string[] {
  return readdirSync(draft, { withFileTypes: true })
    .sort((one, other) => Number(one.isDirectory()) - Number(other.isDirectory()))
    .map(({ name }) => name);
}

function failed(into: string, error: unknown): BackupError {
  return new BackupError(
    `The backup could not be restored to ${into} (${(error as Error).message}); nothing was left there. Correct the cause and try again.`,
  );
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

/** As in docs/operating/backup.md, for copies on PostgreSQL. `?` is the time. */
const STATEMENTS: Record<string, string> = {
  portal_session: 'delete from portal_session',
  portal_link: 'update portal_link set ended_at = ? where used_at is null and ended_at is null',
  contact_link: 'delete from contact_link',
  session: 'delete from session',
};

/**
 * Ends the sessions and the one-time links that a restored copy has. Since it was made, sessions may have been
 * ended and links used, and nobody can tell which: signing in again costs little.
 */
function endSignIns(dataDir: string, nowMs: number): void {
  const files = [...environmentNames.map(databaseOf), ...BACK_OFFICES]
    .map((path) => join(dataDir, path))
    .filter((file) => existsSync(file));
  for (const file of files) {
    const database = new DatabaseSync(file);
    try {
      // The copy of an earlier release may lack some.
      const tables = database.prepare("select name from sqlite_schema where type = 'table'").all();
      for (const { name } of tables) {
        const statement = STATEMENTS[String(name)];
        if (!statement) continue;
        const ending = database.prepare(statement);
        if (statement.includes('?')) ending.run(nowMs);
        else ending.run();
      }
    } finally {
      database.close();
    }
  }
}
