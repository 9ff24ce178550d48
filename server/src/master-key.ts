/**
 * The master key comes from the setting, or else from a file in the data folder that the first start
 * creates. A database opens only with the key it was created with, so no key is generated if a database
 * already exists. Every embedded database is checked before anything is changed: a refused start leaves
 * the folder unchanged.
 */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type Config, ConfigError } from './config/config.ts';
import { type EnvironmentName, environmentNames } from './config/settings.ts';
import { BadValue, masterKey } from './config/values.ts';
import { makeFolder } from './folders.ts';
import { checkOwner, opensProof } from './store/identity.ts';
import { hasDatabase, knownIdentity } from './store/sqlite/known-identity.ts';
import { Vault } from './vault.ts';

const MASTER_KEY_FILE = 'master.key';
/** Errors of file systems without links. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS']);

export function obtainMasterKey(config: Config): Buffer {
  const { dataDir } = config;
  const key = config.masterKey ?? masterKeyIn(dataDir);
  for (const name of config.environments) {
    if (!config[name].databaseUrl)
      checkDatabase(dataDir, name, key, config.masterKey !== undefined);
  }
  return key;
}

/** Generates one if there is neither a key nor a database. */
export function masterKeyIn(dataDir: string): Buffer {
  makeFolder(dataDir);
  const file = join(dataDir, MASTER_KEY_FILE);
  const kept = readKey(file);
  if (kept) return kept;
  // Including environments that this process does not serve: they need the key too.
  const folders = environmentNames.map((name) => join(dataDir, name));
  const needing = folders.find(hasDatabase);
  if (needing === undefined) return makeKey(dataDir, file);
  // Another process that starts at the same moment writes the key before its databases.
  const made = readKey(file);
  if (made) return made;
  throw new ConfigError(
    `The master key is missing: ${file} is not there, and the database in ${needing} opens only with the key that it was made with; put the file back from your backup, or set BELLHOP_MASTER_KEY to that key.`,
  );
}

function readKey(file: string): Buffer | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new ConfigError(
      `The master key in ${file} cannot be read (${message}); make it readable, or set BELLHOP_MASTER_KEY.`,
    );
  }
  try {
    return masterKey(text);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw new ConfigError(
      `The master key in ${file} ${error.message}; put the file back from your backup, or set BELLHOP_MASTER_KEY.`,
    );
  }
}

/**
 * Written to a temporary file and then linked, so the key file is always complete: even if other
 * processes start at the same moment, or the disk is full. It is on disk before any database needs it.
 */
function makeKey(dataDir: string, file: string): Buffer {
  const draft = `${file}.${randomBytes(6).toString('hex')}`;
  try {
    const text = `${randomBytes(32).toString('base64')}\n`;
    const exclusive = { flag: 'wx', mode: 0o600, flush: true } as const;
    writeFileSync(draft, text, exclusive);
    try {
      linkSync(draft, file);
    } catch (error) {
      if (!NO_LINKS.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
      writeFileSync(file, text, exclusive);
    }
    syncFolder(dataDir);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') {
      throw new ConfigError(
        `The master key cannot be written to ${file} (${message}); make the folder writable, or set BELLHOP_MASTER_KEY.`,
      );
    }
  } finally {
    rmSync(draft, { force: true });
  }
  const key = readKey(file);
  if (key) return key;
  throw new ConfigError(`The master key in ${file} leads nowhere; delete that link.`);
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Throws if the database belongs to another environment, or was created with another key. */
function checkDatabase(
  dataDir: string,
  name: EnvironmentName,
  key: Buffer,
  isFromSetting: boolean,
): void {
  const folder = join(dataDir, name);
  const where = `The database in ${folder}`;
  const identity = knownIdentity(folder);
  if (identity?.environment) checkOwner(identity.environment, name, where);
  if (!identity?.proof || opensProof(new Vault(key, name), identity.proof)) return;
  const file = join(dataDir, MASTER_KEY_FILE);
  if (!isFromSetting) {
    throw new ConfigError(
      `${where} was made with another master key than the one in ${file}; put the right file back from your backup, or set BELLHOP_MASTER_KEY to the right key.`,
    );
  }
  const advice = isInFile(file, name, identity.proof)
    ? `give the one in ${file}, which it was made with.`
    : 'give the one that it was made with.';
  throw new ConfigError(`${where} was made with another BELLHOP_MASTER_KEY; ${advice}`);
}

function isInFile(file: string, name: EnvironmentName, proof: string): boolean {
  try {
    const kept = readKey(file);
    return kept !== undefined && opensProof(new Vault(kept, name), proof);
  } catch {
    return false;
  }
}
