import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { systemClock } from '../base/clock.ts';
import { ConfigError, readConfig } from '../base/config/config.ts';
import type { EnvironmentName } from '../base/config/settings.ts';
import { masterKeyId, Vault } from '../base/sealing/vault.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import { masterKeyIn, obtainMasterKeys } from './master-key.ts';
import { addMasterKey } from './master-key-file.ts';

const MODULE = new URL('./master-key.ts', import.meta.url).href;
/** Synchronises the processes before each folder, so that all of them find it new. */
const START_AT_ONCE = `
  const { parentPort, workerData } = require('node:worker_threads');
  const { module, folders, arrived, starters } = workerData;
  const counts = new Int32Array(arrived);
  import(module).then(({ masterKeyIn }) => {
    const made = folders.map((folder, i) => {
      Atomics.add(counts, i, 1);
      while (Atomics.load(counts, i) < starters);
      try {
        return masterKeyIn(folder).toString('base64');
      } catch (error) {
        return error.message;
      }
    });
    parentPort.postMessage(made);
  });`;

const encoded = (key: Buffer) => key.toString('base64');

/** With a database in it, as a stopped Bellhop leaves it. */
async function folderMadeWith(key: Buffer, environment: EnvironmentName = 'production') {
  const dataDir = await temporaryFolder();
  await makeDatabase(dataDir, key, environment);
  return dataDir;
}

async function makeDatabase(dataDir: string, key: Buffer, environment: EnvironmentName) {
  const vault = new Vault(key, environment);
  const folder = join(dataDir, environment);
  await (await openSqliteStore({ folder, environment, vault, clock: systemClock })).close();
}

const obtain = (dataDir: string, settings: Record<string, string> = {}) =>
  obtainMasterKeys(readConfig({ BELLHOP_DATA_DIR: dataDir, ...settings }));

/** Returns the sentence, and checks that nothing in the folder has changed. */
function refusal(dataDir: string, settings?: Record<string, string>): string {
  const before = contents(dataDir);
  let thrown: unknown;
  try {
    obtain(dataDir, settings);
  } catch (error) {
    thrown = error;
  }
  expect(thrown).toBeInstanceOf(ConfigError);
  expect(contents(dataDir)).toEqual(before);
  return (thrown as Error).message;
}

function contents(folder: string): Record<string, string> {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).sort();
  return Object.fromEntries(
    paths.map((path) => {
      const file = join(folder, path);
      const isFile = lstatSync(file).isFile();
      return [path, isFile ? readFileSync(file).toString('base64') : ''];
    }),
  );
}

test('is created once, in a new folder, readable only by the owner', async () => {
  const dataDir = join(await temporaryFolder(), 'data');
  const key = masterKeyIn(dataDir);
  expect(key).toHaveLength(32);
  expect(masterKeyIn(dataDir)).toEqual(key);
  expect(readdirSync(dataDir)).toEqual(['master.key']);
  expect(statSync(join(dataDir, 'master.key')).mode & 0o777).toBe(0o600);
});

test('is the same for all processes that start at the same moment on a new folder', async () => {
  const starters = 2;
  const folders: string[] = [];
  for (let i = 0; i < 50; i++) folders.push(join(await temporaryFolder(), 'data'));
  const arrived = new SharedArrayBuffer(4 * folders.length);
  const workerData = { module: MODULE, folders, arrived, starters };
  const keys = await Promise.all(
    Array.from({ length: starters }, async () => {
      const starter = new Worker(START_AT_ONCE, { eval: true, workerData });
      const [made] = await once(starter, 'message');
      return made as string[];
    }),
  );
  for (const made of keys) expect(made).toEqual(keys[0]);
  expect(new Set(keys[0]).size).toBe(folders.length);
});

test('is not replaced if it was lost', async () => {
  const dataDir = await folderMadeWith(randomBytes(32));
  expect(refusal(dataDir)).toBe(
    `The master key is missing: ${dataDir}/master.key is not there, and the database in ${dataDir}/production opens only with the key that it was made with; put the file back from your backup, or set BELLHOP_MASTER_KEY to that key.`,
  );
  // Otherwise the other environment would get a key that does not open this one.
  expect(refusal(dataDir, { BELLHOP_ENVIRONMENTS: 'sandbox' })).toMatch(
    /^The master key is missing/,
  );
});

test('is created if the first start was interrupted before there was a database', async () => {
  const dataDir = await temporaryFolder();
  mkdirSync(join(dataDir, 'production'));
  writeFileSync(join(dataDir, 'production', 'bellhop.db'), '');
  expect(obtain(dataDir).masterKey).toHaveLength(32);
});

test('is refused before anything is changed if it belongs to another database', async () => {
  const dataDir = await folderMadeWith(randomBytes(32), 'sandbox');
  writeFileSync(join(dataDir, 'master.key'), `${encoded(randomBytes(32))}\n`);
  expect(refusal(dataDir)).toBe(
    `The database in ${dataDir}/sandbox was made with another master key than the one in ${dataDir}/master.key; put the right file back from your backup, or set BELLHOP_MASTER_KEY to the right key.`,
  );
  expect(refusal(dataDir, { BELLHOP_MASTER_KEY: encoded(randomBytes(32)) })).toBe(
    `The database in ${dataDir}/sandbox was made with another BELLHOP_MASTER_KEY; give the one that it was made with.`,
  );
});

test('from the setting is refused with the name of the file that has the right key', async () => {
  const dataDir = await temporaryFolder();
  await makeDatabase(dataDir, masterKeyIn(dataDir), 'production');
  const settings = {
    BELLHOP_MASTER_KEY: encoded(randomBytes(32)),
    BELLHOP_SANDBOX_DATABASE_URL: 'postgres://127.0.0.1:1/never-asked',
  };
  expect(refusal(dataDir, settings)).toBe(
    `The database in ${dataDir}/production was made with another BELLHOP_MASTER_KEY; give the one in ${dataDir}/master.key, which it was made with.`,
  );
});

test('is also checked against a database that was not closed cleanly', async () => {
  const dataDir = await temporaryFolder();
  const vault = new Vault(randomBytes(32), 'production');
  const folder = join(dataDir, 'production');
  const store = await openSqliteStore({
    folder,
    environment: 'production',
    vault,
    clock: systemClock,
  });
  const settings = { BELLHOP_MASTER_KEY: encoded(randomBytes(32)) };
  expect(refusal(dataDir, settings)).toContain('another BELLHOP_MASTER_KEY');
  await store.close();
});

test('must be set if either environment uses PostgreSQL', async () => {
  for (const name of ['PRODUCTION', 'SANDBOX']) {
    const settings = { [`BELLHOP_${name}_DATABASE_URL`]: 'postgres://127.0.0.1:1/never-asked' };
    expect(refusal(await temporaryFolder(), settings)).toMatch(
      /^BELLHOP_MASTER_KEY must be set with PostgreSQL/,
    );
  }
});

test.each([
  ['empty', (file: string) => writeFileSync(file, ''), 'must be 32 bytes in base64'],
  [
    'cut short',
    (file: string) => writeFileSync(file, encoded(randomBytes(31))),
    'must be 32 bytes in base64',
  ],
  ['a folder', (file: string) => mkdirSync(file), 'cannot be read (EISDIR'],
  ['a link to itself', (file: string) => symlinkSync(file, file), 'cannot be read (ELOOP'],
  ['a broken link', (file: string) => symlinkSync(`${file}.x`, file), 'leads nowhere'],
])('the error names a key file that is %s', async (_name, damage, sentence) => {
  const dataDir = await temporaryFolder();
  const file = join(dataDir, 'master.key');
  damage(file);
  expect(refusal(dataDir)).toMatch(/\.$/);
  expect(refusal(dataDir)).toContain(`The master key in ${file} ${sentence}`);
  rmSync(file, { recursive: true });
});

test.skipIf(process.getuid?.() === 0)(
  'the error names a key file that may not be read',
  async () => {
    const dataDir = await temporaryFolder();
    const file = join(dataDir, 'master.key');
    writeFileSync(file, encoded(randomBytes(32)));
    chmodSync(file, 0o000);
    let message = '';
    try {
      obtain(dataDir);
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toContain(`The master key in ${file} cannot be read (EACCES`);
  },
);

test('may be followed by earlier ones in the file, and a database names the one that is missing', async () => {
  const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
  const dataDir = await folderMadeWith(oldKey);
  const file = join(dataDir, 'master.key');
  writeFileSync(file, `${encoded(oldKey)}\n`);
  addMasterKey(file);
  const { masterKey, previousMasterKeys } = obtain(dataDir);
  expect(previousMasterKeys).toEqual([oldKey]);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dataDir).sort()).toEqual(['master.key', 'production']);

  // Once something is sealed with the new key, neither is enough alone.
  const vault = new Vault(newKey, 'production', [oldKey]);
  const folder = join(dataDir, 'production');
  const environment = 'production';
  await (await openSqliteStore({ folder, environment, vault, clock: systemClock })).close();
  const missing = (key: Buffer) =>
    `The database in ${folder} still needs the master key ${masterKeyId(key)}, which is not given; add it to BELLHOP_PREVIOUS_MASTER_KEYS and run "bellhop reseal" before you drop it.`;
  const [onlyOld, onlyNew] = [oldKey, newKey].map((key) => ({ BELLHOP_MASTER_KEY: encoded(key) }));
  expect(refusal(dataDir, onlyOld)).toBe(missing(newKey));
  expect(refusal(dataDir, onlyNew)).toBe(missing(oldKey));
  const both = obtain(dataDir, { ...onlyNew, BELLHOP_PREVIOUS_MASTER_KEYS: encoded(oldKey) });
  expect(both).toEqual({ masterKey: newKey, previousMasterKeys: [oldKey] });
  expect(masterKey).not.toEqual(newKey);
});
