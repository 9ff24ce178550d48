/**
 * The master key comes from the setting, or else from a file in the data folder that the first start
 * creates. A database opens only with the keys that have sealed something in it, so no key is generated if a
 * database already exists. Every embedded database is checked before anything is changed: a refused start
 * leaves the folder unchanged.
 */
import { join } from 'node:path';
import { type Config, ConfigError } from '../base/config/config.ts';
import { type EnvironmentName, environmentNames } from '../base/config/settings.ts';
import { makeFolder, refuseHalfRestored } from '../base/folders.ts';
import { Vault } from '../base/sealing/vault.ts';
import { checkOwner, missingKey, opensAny } from '../store/identity.ts';
import { hasDatabase, knownIdentity } from '../store/sqlite/known-identity.ts';
import { makeMasterKey, masterKeyFile, readMasterKeys } from './master-key-file.ts';
import { refuseHalfMoved } from './move/draft.ts';

export interface MasterKeys {
  /** Seals everything new. */
  masterKey: Buffer;
  /** Still open what they have sealed. */
  previousMasterKeys: Buffer[];
}

export function obtainMasterKeys(config: Config): MasterKeys {
  const { dataDir } = config;
  refuseIncomplete(config);
  const [masterKey, ...earlier] = config.masterKey ? [config.masterKey] : masterKeysIn(dataDir);
  const keys = { masterKey, previousMasterKeys: [...earlier, ...config.previousMasterKeys] };
  for (const name of embeddedIn(config)) {
    checkDatabase(dataDir, name, keys, config.masterKey !== undefined);
  }
  return keys;
}

/** Throws if a restore or a move has not completed the data folder. */
export function refuseIncomplete(config: Config): void {
  refuseHalfRestored(config.dataDir);
  for (const name of embeddedIn(config)) refuseHalfMoved(config.dataDir, name);
}

function embeddedIn(config: Config): EnvironmentName[] {
  return config.environments.filter((name) => !config[name].databaseUrl);
}

/** The current key. Generates one if there is neither a key nor a database. */
export function masterKeyIn(dataDir: string): Buffer {
  return masterKeysIn(dataDir)[0];
}

function masterKeysIn(dataDir: string): [Buffer, ...Buffer[]] {
  makeFolder(dataDir);
  const file = masterKeyFile(dataDir);
  const kept = readMasterKeys(file);
  if (kept) return kept;
  // Including environments that this process does not serve: they need the key too.
  const folders = environmentNames.map((name) => join(dataDir, name));
  const needing = folders.find(hasDatabase);
  if (needing === undefined) return [makeMasterKey(file)];
  // Another process that starts at the same moment writes the key before its databases.
  const made = readMasterKeys(file);
  if (made) return made;
  throw new ConfigError(
    `The master key is missing: ${file} is not there, and the database in ${needing} opens only with the key that it was made with; put the file back from your backup, or set BELLHOP_MASTER_KEY to that key.`,
    'data',
  );
}

/** Throws if the database belongs to another environment, or needs a key that is not given. */
function checkDatabase(
  dataDir: string,
  name: EnvironmentName,
  { masterKey, previousMasterKeys }: MasterKeys,
  isFromSetting: boolean,
): void {
  const folder = join(dataDir, name);
  const where = `The database in ${folder}`;
  const identity = knownIdentity(folder);
  if (identity?.environment) checkOwner(identity.environment, name, where);
  if (!identity || identity.proofs.length === 0) return;
  const vault = new Vault(masterKey, name, previousMasterKeys);
  const file = masterKeyFile(dataDir);
  if (opensAny(vault, identity.proofs)) {
    const missing = missingKey(vault, identity.proofs, where);
    if (missing) throw missing;
    return;
  }
  if (!isFromSetting) {
    throw new ConfigError(
      `${where} was made with another master key than the one in ${file}; put the right file back from your backup, or set BELLHOP_MASTER_KEY to the right key.`,
      'data',
    );
  }
  const advice = isInFile(file, name, identity.proofs)
    ? `give the one in ${file}, which it was made with.`
    : 'give the one that it was made with.';
  throw new ConfigError(`${where} was made with another BELLHOP_MASTER_KEY; ${advice}`, 'data');
}

function isInFile(file: string, name: EnvironmentName, proofs: readonly string[]): boolean {
  try {
    const kept = readMasterKeys(file);
    return kept !== undefined && opensAny(new Vault(kept[0], name, kept.slice(1)), proofs);
  } catch {
    return false;
  }
}
