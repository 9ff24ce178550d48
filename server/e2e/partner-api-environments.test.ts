/** Production and sandbox never mix, and a database has one master key and (embedded) one process. */
import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { ConfigError } from '../src/base/config/config.ts';
import { spawnBellhop, startBellhop } from '../testing/bellhop.ts';
import { newMasterKey } from '../testing/settings.ts';
import { refusedStart } from './refused-start.ts';
import { call } from './wire.ts';

// Each test starts Bellhop several times, which is slow on a busy machine.
/** Like `refusedStart`, but faster, in this process: `serve` prints the message. */
async function refusedHere(settings: Record<string, string>): Promise<string> {
  const error = await startBellhop(settings).then(
    () => expect.unreachable('it started'),
    (reason) => reason,
  );
  expect(error).toBeInstanceOf(ConfigError);
  expect(error.message).toMatch(/^[^\n]+\.$/);
  return error.message;
}

/** A folder that has served production. */
async function usedFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const bellhop = await startBellhop({
    BELLHOP_DATA_DIR: folder,
    BELLHOP_ENVIRONMENTS: 'production',
  });
  await bellhop.newKey('production');
  await bellhop.stop();
  return folder;
}

describe('the embedded database: a start is refused with one sentence for', () => {
  test("production's folder under the sandbox's name", async () => {
    const folder = await usedFolder();
    await rename(join(folder, 'production'), join(folder, 'sandbox'));
    const said = await refusedStart({ BELLHOP_DATA_DIR: folder });
    expect(said).toContain('belongs to production and cannot serve sandbox');
    expect(said).toContain(join(folder, 'sandbox'));
  });

  test("a copy of production's folder", async () => {
    const folder = await usedFolder();
    await cp(join(folder, 'production'), join(folder, 'sandbox'), { recursive: true });
    const said = await refusedHere({ BELLHOP_DATA_DIR: folder });
    expect(said).toContain('belongs to production and cannot serve sandbox');
    // Production itself is not affected.
    const settings = { BELLHOP_DATA_DIR: folder, BELLHOP_ENVIRONMENTS: 'production' };
    await startBellhop(settings);
  });

  test('another master key', async () => {
    const folder = await usedFolder();
    const said = await refusedHere({
      BELLHOP_DATA_DIR: folder,
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    expect(said).toContain('BELLHOP_MASTER_KEY');
  });

  test('a lost master key', async () => {
    const folder = await usedFolder();
    await rm(join(folder, 'master.key'));
    const said = await refusedHere({ BELLHOP_DATA_DIR: folder });
    expect(said).toContain('BELLHOP_MASTER_KEY');
  });

  test('a second process on the folder, until the first has ended in any way', async () => {
    const folder = await temporaryFolder();
    const settings = { BELLHOP_DATA_DIR: folder, BELLHOP_ENVIRONMENTS: 'sandbox' };
    const first = await spawnBellhop(settings);
    const key = await first.newKey('sandbox');
    expect(await refusedStart(settings, 'busy')).toContain(join(folder, 'sandbox'));
    expect((await call(first.addresses.sandbox, key)).status).toBe(200);
    await first.kill();
    const second = await spawnBellhop(settings);
    expect((await call(second.addresses.sandbox, key)).status).toBe(200);
  });
});

describeWithPostgres('PostgreSQL: one sentence for', (_empty, databaseWithTables) => {
  const spelled: [string, (url: string) => string][] = [
    ['the same address', (url) => url],
    ['another host name', (url) => url.replace('127.0.0.1', 'localhost')],
    ['another scheme', (url) => url.replace(/^\w+:/, 'postgresql:')],
    ['another search path', (url) => `${url}?options=-csearch_path%3Dsandbox`],
    ['another application name', (url) => `${url}?application_name=sandbox`],
    ['an escaped character', (url) => url.replace('/bellhop_test', '/%62ellhop_test')],
  ];

  test.each(spelled)(
    'one database for both environments, spelled with %s',
    async (_what, spell) => {
      const production = await databaseWithTables();
      const sandbox = spell(production);
      const said = await refusedHere({
        BELLHOP_MASTER_KEY: newMasterKey(),
        BELLHOP_PRODUCTION_DATABASE_URL: production,
        BELLHOP_SANDBOX_DATABASE_URL: sandbox,
      });
      expect(said).toContain('BELLHOP_SANDBOX_DATABASE_URL');
      expect(said).toContain('production');
    },
  );

  test("another process's production database as this one's sandbox", async () => {
    const shared = { BELLHOP_MASTER_KEY: newMasterKey() };
    const url = await databaseWithTables();
    const production = await startBellhop({
      ...shared,
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_PRODUCTION_DATABASE_URL: url,
    });
    const key = await production.newKey('production');
    const said = await refusedStart({
      ...shared,
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: url,
    });
    expect(said).toContain('belongs to production and cannot serve sandbox');
    expect((await call(production.addresses.production, key)).status).toBe(200);
  });

  test('another master key, or none', async () => {
    const settings = {
      BELLHOP_ENVIRONMENTS: 'production',
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
    };
    const first = await startBellhop({ ...settings, BELLHOP_MASTER_KEY: newMasterKey() });
    await first.stop();
    const other = await refusedHere({ ...settings, BELLHOP_MASTER_KEY: newMasterKey() });
    expect(other).toContain('another BELLHOP_MASTER_KEY');
    expect(await refusedHere(settings)).toContain('BELLHOP_MASTER_KEY must be set');
  });
});
