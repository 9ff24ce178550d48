/**
 * A database file that a disk has damaged. Bellhop says so everywhere, stores nothing more, and refuses to
 * start; the runbook's steps bring it back.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../../test/support.ts';
import { storageTroubles } from '../../src/store/storage-trouble.ts';
import { spawnBellhop, type TestBellhop } from '../../testing/bellhop.ts';
import { LOOPBACK_RECEIVERS } from '../../testing/settings.ts';
import { runShell, shellBlock } from '../../testing/shell-in-markdown.ts';
import { refusedStart } from '../refused-start.ts';
import {
  changePartners,
  expectRefusal,
  notReady,
  PARTNERS,
  readiness,
  untilReady,
} from '../storage-refusals.ts';
import { EVENTS, newEvent, newSender } from '../webhook-bellhop.ts';

// These tests start whole processes, which is slow on a busy machine.
const PAGE_BYTES = 4_096;
const ALONE = {
  BELLHOP_ENVIRONMENTS: 'production',
  BELLHOP_LOG_LEVEL: 'warn',
  ...LOOPBACK_RECEIVERS,
};

/** Overwrites the pages of one table or index, as a failing disk would. */
function damage(file: string, name: string): void {
  const connection = new DatabaseSync(file, { readOnly: true });
  const pages = connection.prepare('select pageno from dbstat where name = ?').all(name);
  connection.close();
  expect(pages.length).toBeGreaterThan(0);
  const descriptor = openSync(file, 'r+');
  for (const { pageno } of pages) {
    const bytes = randomBytes(PAGE_BYTES);
    writeSync(descriptor, bytes, 0, PAGE_BYTES, (Number(pageno) - 1) * PAGE_BYTES);
  }
  closeSync(descriptor);
}

const overview = async ({ addresses }: TestBellhop, authorization: string) => {
  const url = `${addresses.production}/api/b2b/v3/overview/`;
  const reply = await fetch(url, { headers: { authorization } });
  await reply.arrayBuffer();
  return reply.status;
};

test('damage is reported everywhere, once in the log, and a restored backup ends it', async () => {
  const folder = await temporaryFolder();
  const DATA = join(folder, 'data');
  const BACKUPS = join(folder, 'backups');
  const SECRETS = join(folder, 'secrets');
  await mkdir(SECRETS);
  const env = { DATA, BACKUPS, SECRETS, BELLHOP_DATA_DIR: DATA };
  const settings = { ...ALONE, BELLHOP_DATA_DIR: DATA };
  const before = await spawnBellhop(settings);
  const sender = await newSender(before);
  const { authorization } = await before.newKey('production');
  const kept = newEvent(sender);
  expect((await before.support('POST', EVENTS, kept)).status).toBe(202);
  const backUp = ['embedded-backup', 'embedded-key'].map((name) =>
    shellBlock('docs/operating/backup.md', name),
  );
  for (const block of backUp) await runShell(block, { env });
  await before.stop();

  const bellhop = await spawnBellhop(settings);
  let log = '';
  bellhop.child.stderr?.on('data', (chunk) => {
    log += chunk;
  });
  const file = join(DATA, 'production', 'bellhop.db');
  damage(file, 'delivery_event_id');
  for (let i = 0; i < 5; i++) {
    const reply = await bellhop.support('POST', EVENTS, newEvent(sender));
    expectRefusal(reply, 'storage_damaged');
  }
  expectRefusal(await changePartners(bellhop), 'storage_damaged');
  expect(await readiness(bellhop)).toMatchObject(notReady('storage_damaged'));
  expect(await bellhop.support('GET', PARTNERS)).toMatchObject({ status: 200 });
  expect(await overview(bellhop, authorization)).toBe(200);
  await bellhop.stop();
  const lines = log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line));
  const told = lines.filter(({ msg }) => msg === storageTroubles.storage_damaged);
  expect(told.map(({ reason }) => reason)).toEqual(['SQLITE_CORRUPT']);

  const sentence = await refusedStart(settings);
  expect(sentence).toMatch(`${file} is damaged`);
  expect(sentence).toMatch(/restore a backup \(docs\/operating\/damaged-database\.md\)/);

  const OLD_DATA = `${DATA}.damaged`;
  await rename(DATA, OLD_DATA);
  const restore = shellBlock('docs/operating/backup.md', 'embedded-restore');
  await runShell(restore, { env: { ...env, OLD_DATA } });
  const restored = await spawnBellhop(settings);
  await untilReady(restored);
  const { body } = await restored.support('POST', EVENTS, { events: [kept, newEvent(sender)] });
  expect(body.results.map((one: { outcome: string }) => one.outcome)).toEqual([
    'duplicate',
    'queued',
  ]);
  expect(await overview(restored, authorization)).toBe(200);
});

test.each([
  ["the back office's database", 'back-office.db', 'token'],
  ['the journal of admissions', join('production', 'admissions.db'), 'admitted'],
])('a start with damage in %s names the file', async (_name, path, table) => {
  const dataDir = await temporaryFolder();
  const settings = { ...ALONE, BELLHOP_DATA_DIR: dataDir };
  await (await spawnBellhop(settings)).stop();
  const file = join(dataDir, path);
  damage(file, table);
  expect(await refusedStart(settings)).toMatch(`${file} is damaged`);
});

test('a damaged journal of admissions can be moved away, and the rest is kept', async () => {
  const dataDir = await temporaryFolder();
  const settings = { ...ALONE, BELLHOP_DATA_DIR: dataDir };
  const before = await spawnBellhop(settings);
  const { authorization } = await before.newKey('production');
  expect(await overview(before, authorization)).toBe(200);
  await before.stop();
  const file = join(dataDir, 'production', 'admissions.db');
  damage(file, 'admitted');
  await refusedStart(settings);
  for (const suffix of ['', '-wal', '-shm']) {
    await rename(file + suffix, `${file}${suffix}.damaged`).catch(() => {});
  }
  const after = await spawnBellhop(settings);
  await untilReady(after);
  expect(await overview(after, authorization)).toBe(200);
});
