import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../../test/support.ts';
import { canMount, tinyDisk } from '../../../e2e/tiny-disk.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/config/config.ts';
import { RESTORING, refuseHalfRestored } from '../../base/folders.ts';
import { masterKeyId, Vault } from '../../base/sealing/vault.ts';
import { openSqliteStore } from '../../store/sqlite/open.ts';
import { addMasterKey, makeMasterKey, readMasterKeys } from '../master-key-file.ts';
import { copyTogether } from './copy.ts';
import { BackupError, MANIFEST, type Manifest } from './manifest.ts';
import { backupsIn, findBackup, keepNewest } from './names.ts';
import { restoreBackup } from './restore-backup.ts';
import { takeBackup } from './take-backup.ts';

function makeDatabase(file: string, sql: string): void {
  const connection = new DatabaseSync(file);
  connection.exec(`pragma journal_mode = wal; ${sql}`);
  connection.close();
}

/** What an embedded Bellhop leaves, as far as a backup looks at it. */
async function dataFolder(): Promise<string> {
  const dataDir = await temporaryFolder();
  mkdirSync(join(dataDir, 'production'));
  makeDatabase(
    join(dataDir, 'production', 'bellhop.db'),
    "create table partner (id text); insert into partner values ('one'), ('two')",
  );
  makeDatabase(join(dataDir, 'production', 'admissions.db'), 'create table admitted (seq integer)');
  makeDatabase(join(dataDir, 'back-office.db'), 'create table token (id text)');
  writeFileSync(join(dataDir, 'master.key'), `${Buffer.alloc(32, 1).toString('base64')}\n`);
  writeFileSync(join(dataDir, 'admin.token'), 'token');
  return dataDir;
}

function take(dataDir: string, into: string, options: { withSecrets?: boolean; at?: string } = {}) {
  const { withSecrets = true, at = new Date().toISOString() } = options;
  return takeBackup({ dataDir, into, withSecrets, now: new Date(at), onProgress() {} });
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => {
      return `${path.slice(folder.length + 1)} ${(statSync(path).mode & 0o777).toString(8)}`;
    })
    .sort();
}

test('a folder that a move has not completed is refused', async () => {
  const dataDir = await dataFolder();
  mkdirSync(join(dataDir, 'sandbox.moving'));
  const into = join(await temporaryFolder(), 'backups');
  await expect(take(dataDir, into)).rejects.toThrow(/"bellhop move" has not completed .*sandbox;/);
  expect(existsSync(into)).toBe(false);
});

/** Writes to one database and then to the other, over and over, until it is told to stop. */
const WRITER = `
  const { workerData, parentPort } = require('node:worker_threads');
  const { DatabaseSync } = require('node:sqlite');
  const databases = workerData.files.map((file) => new DatabaseSync(file, { timeout: 10_000 }));
  const inserts = databases.map((database) => database.prepare('insert into t values (?, ?)'));
  const stop = new Int32Array(workerData.stop);
  for (let n = 0; Atomics.load(stop, 0) === 0; n++) {
    for (const insert of inserts) insert.run(n, 'x'.repeat(500));
    if (n === 50) parentPort.postMessage('writing');
  }
  for (const database of databases) database.close();`;

test('copies show several databases at one moment, however busy they are', async () => {
  const folder = await temporaryFolder();
  const files = ['a.db', 'b.db', 'c.db'].map((name) => join(folder, name));
  for (const file of files) {
    makeDatabase(file, 'pragma synchronous = off; create table t (n integer, filler text)');
  }
  const stop = new SharedArrayBuffer(4);
  const writer = new Worker(WRITER, { eval: true, workerData: { files, stop } });
  const ended = new Promise((resolve) => writer.once('exit', resolve));
  await new Promise((resolve) => writer.once('message', resolve));
  const counts: number[][] = [];
  for (let round = 0; round < 5; round++) {
    const copies = files.map((from) => ({ from, to: `${from}.${round}` }));
    await copyTogether(copies, () => {});
    counts.push(
      copies.map(({ to }) => {
        const copy = new DatabaseSync(to);
        const { n } = copy.prepare('select count(*) as n from t').get() as { n: number };
        copy.close();
        return n;
      }),
    );
  }
  Atomics.store(new Int32Array(stop), 0, 1);
  await ended;
  for (const [a = 0, b = 0, c = 0] of counts) {
    // The writer may be between two databases, but never a whole round ahead.
    expect(a - b === 0 || a - b === 1).toBe(true);
    expect(b - c === 0 || b - c === 1).toBe(true);
    expect(a - c).toBeLessThanOrEqual(1);
  }
  expect(counts.at(-1)?.[0]).toBeGreaterThan(counts[0]?.[0] as number);
});

test('a backup is private, has a manifest, and becomes the same data folder again', async () => {
  const [dataDir, backups] = [await dataFolder(), join(await temporaryFolder(), 'new', 'backups')];
  const { folder, manifest } = await take(dataDir, backups);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(filesIn(folder)).toEqual([
    'admin.token 600',
    'back-office.db 600',
    'manifest.json 600',
    'master.key 600',
    'production 700',
    'production/admissions.db 600',
    'production/bellhop.db 600',
  ]);
  expect(manifest.files.find(({ path }) => path === 'production/bellhop.db')?.counts).toEqual({
    partners: 2,
  });
  expect(findBackup(backups)).toBe(folder);

  const into = join(await temporaryFolder(), 'data');
  await restoreBackup(folder, into);
  expect(filesIn(into)).toEqual(filesIn(folder).filter((line) => !line.startsWith('manifest')));
  await expect(restoreBackup(folder, into)).rejects.toThrow(/ is not empty, and may belong to/);
  const { folder: second } = await take(into, backups, { withSecrets: false });
  expect(filesIn(second).filter((line) => /key|token/.test(line))).toEqual([]);
});

/** A data folder with a key file, and with a database that was opened with these keys, one after the other. */
async function keyedFolder(keysOf: (file: string) => Buffer[][]): Promise<string> {
  const dataDir = await temporaryFolder();
  const environment = 'production';
  for (const [key, ...previous] of keysOf(join(dataDir, 'master.key'))) {
    const vault = new Vault(key as Buffer, environment, previous);
    const options = { folder: join(dataDir, environment), environment, vault } as const;
    await (await openSqliteStore({ ...options, clock: systemClock })).close();
  }
  return dataDir;
}

test('a backup tells the master keys that its databases need from those in an old key file', async () => {
  const backups = await temporaryFolder();
  const setting = randomBytes(32);
  const given = masterKeyId(setting);
  const keysIn = async (dataDir: string) => {
    const { folder, manifest } = await take(dataDir, backups);
    const { keys } = await restoreBackup(folder, join(await temporaryFolder(), 'data'));
    expect(keys).toEqual({
      contained: manifest.master_keys,
      missing: manifest.missing_master_keys,
    });
    return keys;
  };

  const generated = await keyedFolder((file) => [[makeMasterKey(file)]]);
  const [only] = readMasterKeys(join(generated, 'master.key')) ?? [];
  expect(await keysIn(generated)).toEqual({
    contained: [masterKeyId(only as Buffer)],
    missing: [],
  });

  // The file is left over from before BELLHOP_MASTER_KEY was set.
  const outdated = await keyedFolder(() => [[setting]]);
  writeFileSync(join(outdated, 'master.key'), `${randomBytes(32).toString('base64')}\n`);
  expect(await keysIn(outdated)).toEqual({ contained: [], missing: [given] });

  // In the middle of a rotation from the file to the setting.
  const rotating = await keyedFolder((file) => {
    const old = makeMasterKey(file);
    return [[old], [setting, old]];
  });
  const [old] = readMasterKeys(join(rotating, 'master.key')) ?? [];
  expect(await keysIn(rotating)).toEqual({
    contained: [masterKeyId(old as Buffer)],
    missing: [given],
  });

  // In the middle of a rotation within the file.
  const both = await keyedFolder((file) => {
    const first = makeMasterKey(file);
    addMasterKey(file);
    return [[first], readMasterKeys(file) ?? []];
  });
  expect(await keysIn(both)).toMatchObject({ contained: { length: 2 }, missing: [] });
});

test('a restore writes only into the folder that it is given, which may be the root of a volume', async (context) => {
  if (!canMount) return context.skip();
  const { folder } = await take(await dataFolder(), await temporaryFolder());
  const { folder: into } = tinyDisk();
  mkdirSync(join(into, 'lost+found'));
  await restoreBackup(folder, into);
  expect(filesIn(into).filter((line) => !line.startsWith('lost+found'))).toEqual(
    filesIn(folder).filter((line) => !line.startsWith('manifest')),
  );
});

test('a restore that fails leaves nothing, and one that was killed is refused by all commands', async () => {
  const { folder } = await take(await dataFolder(), await temporaryFolder());
  const parent = await temporaryFolder();
  const into = join(parent, 'data');
  mkdirSync(into);
  writeFileSync(join(parent, 'file'), '');
  await expect(restoreBackup(folder, join(parent, 'file'))).rejects.toThrow(ConfigError);
  await expect(restoreBackup(folder, join(parent, 'file', 'data'))).rejects.toThrow(ConfigError);

  mkdirSync(join(into, RESTORING));
  await expect(restoreBackup(folder, into)).rejects.toThrow(/remains of a restore .* interrupted/);
  expect(() => refuseHalfRestored(into)).toThrow(/has not completed .* restore again\.$/);
  await expect(take(into, parent)).rejects.toThrow(/has not completed/);
});

test('includes what is still in the log of a process that was killed', async () => {
  const dataDir = await dataFolder();
  const file = join(dataDir, 'production', 'bellhop.db');
  const killed = new DatabaseSync(file);
  killed.exec("pragma wal_autocheckpoint = 0; insert into partner values ('three')");
  const { manifest } = await take(dataDir, await temporaryFolder());
  killed.close();
  expect(manifest.files[0]).toMatchObject({
    path: 'production/bellhop.db',
    counts: { partners: 3 },
  });
});

test.each([
  ['a changed byte', (file: string) => appendFileSync(file, 'x')],
  ['a missing file', (file: string) => rmSync(file)],
])('a backup with %s is refused before anything is written', async (_name, damage) => {
  const { folder } = await take(await dataFolder(), await temporaryFolder());
  damage(join(folder, 'production', 'bellhop.db'));
  const into = join(await temporaryFolder(), 'data');
  await expect(restoreBackup(folder, into)).rejects.toThrow(/ is not as it was backed up \(/);
  expect(existsSync(into)).toBe(false);
});

test('a backup of a damaged database fails and leaves nothing', async () => {
  const [dataDir, backups] = [await dataFolder(), await temporaryFolder()];
  writeFileSync(join(dataDir, 'production', 'admissions.db'), randomUUID().repeat(200));
  await expect(take(dataDir, backups)).rejects.toThrow(/^The backup failed \(.*Correct the cause/);
  expect(readdirSync(backups)).toEqual([]);
  await expect(take(await temporaryFolder(), backups)).rejects.toThrow(ConfigError);
});

test('a manifest cannot make a restore write elsewhere', async () => {
  const { folder, manifest } = await take(await dataFolder(), await temporaryFolder());
  const files = [{ ...manifest.files[0], path: '../elsewhere' }];
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, files }));
  const into = join(await temporaryFolder(), 'data');
  await expect(restoreBackup(folder, into)).rejects.toThrow(/names a strange file/);
});

test.each([
  ['null', 'another format'],
  ['{"format":1,"files":[null]}', 'a strange file (null)'],
  ['{"format":1,"files":[{}]}', 'a strange file ({})'],
])('a manifest of %s is refused in words', async (text, reason) => {
  const { folder } = await take(await dataFolder(), await temporaryFolder());
  writeFileSync(join(folder, MANIFEST), text);
  const restoring = restoreBackup(folder, join(await temporaryFolder(), 'data'));
  await expect(restoring).rejects.toThrow(BackupError);
  await expect(restoring).rejects.toThrow(reason);
});

test('without a checksum, a backup needs a back office to count as whole', async () => {
  const { folder, manifest } = await take(await dataFolder(), await temporaryFolder());
  const { checksum: _, ...older } = manifest;
  const isOffice = (path: string) => path.startsWith('back-office');
  for (const { path } of manifest.files) if (isOffice(path)) rmSync(join(folder, path));
  rewriteManifest(folder, older, (path) => !isOffice(path));
  await expect(restoreBackup(folder, join(await temporaryFolder(), 'data'))).rejects.toThrow(
    'no checksum: made by an earlier release',
  );
});

test('a later backup that is a link is not followed', async () => {
  const backups = await temporaryFolder();
  const { folder } = await take(await dataFolder(), backups);
  const later = join(backups, 'bellhop-2999-01-01T00-00-00-000Z');
  symlinkSync(folder, later);
  const { compared } = await restoreBackup(folder, join(await temporaryFolder(), 'data'));
  expect(compared).toEqual({ with: later, found: [], failure: `${later} is not a folder` });
});

/** The manifest without these files, as the restore reads it. */
function rewriteManifest(folder: string, manifest: Manifest, isKept: (path: string) => boolean) {
  const files = manifest.files.filter(({ path }) => isKept(path));
  writeFileSync(join(folder, MANIFEST), JSON.stringify({ ...manifest, files }));
}

test.each([
  ['a database that its manifest does not name', 'production/bellhop.db', []],
  ['no database of an environment', 'production/bellhop.db', ['production/bellhop.db']],
  ['no environment at all', 'production/', ['production']],
])('a backup with %s is refused', async (_what, unnamed, deleted) => {
  const { folder, manifest } = await take(await dataFolder(), await temporaryFolder());
  // As a release without a checksum of the manifest would have written it.
  const { checksum: _, ...older } = manifest;
  rewriteManifest(folder, older, (path) => !path.startsWith(unnamed));
  for (const path of deleted) rmSync(join(folder, path), { recursive: true });
  const into = join(await temporaryFolder(), 'data');
  await expect(restoreBackup(folder, into)).rejects.toThrow(/ is not a whole backup .*another one/);
  expect(existsSync(into)).toBe(false);
});

test.each(['production', 'production/admissions.db', 'back-office.db'])(
  'a backup that lost %s, in its manifest too, is refused',
  async (lost) => {
    const dataDir = await dataFolder();
    cpSync(join(dataDir, 'production'), join(dataDir, 'sandbox'), { recursive: true });
    const { folder, manifest } = await take(dataDir, await temporaryFolder());
    rewriteManifest(folder, manifest, (path) => !path.startsWith(lost));
    rmSync(join(folder, lost), { recursive: true });
    const into = join(await temporaryFolder(), 'data');
    await expect(restoreBackup(folder, into)).rejects.toThrow(/ was changed after the backup/);
    expect(existsSync(into)).toBe(false);
  },
);

test.each(['manifest.json', 'production/bellhop.db', 'production', 'master.key'])(
  'a backup in which %s is a link or a pipe is refused',
  async (path) => {
    const { folder } = await take(await dataFolder(), await temporaryFolder());
    const place = join(folder, path);
    const elsewhere = join(await temporaryFolder(), 'elsewhere');
    const into = join(await temporaryFolder(), 'data');
    renameSync(place, elsewhere);
    symlinkSync(elsewhere, place);
    await expect(restoreBackup(folder, into)).rejects.toThrow(/ not a regular file/);
    rmSync(place);
    execFileSync('mkfifo', [place]);
    await expect(restoreBackup(folder, into)).rejects.toThrow(/ not a regular file/);
    expect(existsSync(into)).toBe(false);
  },
);

test('a restore compares with the old data folder, or with the latest backup beside it', async () => {
  const [dataDir, backups] = [await dataFolder(), await temporaryFolder()];
  const { folder } = await take(dataDir, backups, { at: '2026-01-01T00:00:00Z' });
  const restore = async (replaced?: string) =>
    (await restoreBackup(folder, join(await temporaryFolder(), 'data'), { replaced })).compared;
  expect(await restore()).toBeUndefined();
  const { folder: later } = await take(dataDir, backups, { at: '2026-01-02T00:00:00Z' });
  expect(await restore()).toMatchObject({ with: later });
  writeFileSync(join(dataDir, 'production', 'bellhop.db'), 'damaged');
  expect(await restore(dataDir)).toMatchObject({
    with: dataDir,
    failure: expect.any(String),
  });
});

test('an old backup that cannot be deleted is named', async (context) => {
  if (!canMount) return context.skip();
  const [dataDir, { folder: backups }] = [await dataFolder(), tinyDisk()];
  for (const day of ['01', '02']) await take(dataDir, backups, { at: `2026-01-${day}T00:00:00Z` });
  execFileSync('mount', ['-o', 'remount,ro', backups]);
  expect(() => keepNewest(backups, 1, new Date())).toThrow(
    /^The new backup is complete, but .*2026-01-01.* could not be deleted .*; delete it yourself\.$/,
  );
  expect(() => keepNewest(backups, 1, new Date())).toThrow(BackupError);
});

test('keeps the newest backups, and deletes only backups', async () => {
  const [dataDir, backups] = [await dataFolder(), await temporaryFolder()];
  mkdirSync(join(backups, 'other'));
  const abandoned = join(backups, 'bellhop-2026-01-01T00-00-00-000Z.partial');
  mkdirSync(abandoned);
  utimesSync(abandoned, 0, 0);
  for (const day of ['03', '01', '02'])
    await take(dataDir, backups, { at: `2026-01-${day}T00:00:00Z` });
  const [oldest] = backupsIn(backups);
  expect(keepNewest(backups, 2, new Date())).toEqual([oldest]);
  expect(readdirSync(backups).sort()).toEqual([
    'bellhop-2026-01-02T00-00-00-000Z',
    'bellhop-2026-01-03T00-00-00-000Z',
    'other',
  ]);
});
