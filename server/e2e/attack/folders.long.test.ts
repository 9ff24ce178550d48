/**
 * Data folders and master keys. A process notices that its folder is gone before it confirms anything,
 * a second process at the same path is not harmed, and a refused start gives the reason and leaves the
 * folder unchanged.
 */
import { once } from 'node:events';
import { existsSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../../test/support.ts';
import { storageTroubles } from '../../src/store/storage-trouble.ts';
import { type BellhopProcess, spawnBellhop, startBellhop } from '../../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../../testing/engines.ts';
import { newMasterKey } from '../../testing/settings.ts';
import { refusedStart } from '../refused-start.ts';
import { EVENTS } from '../webhook-bellhop.ts';

const GONE = `Bellhop stops and must be started again. ${storageTroubles.storage_gone}\n`;

// These tests start whole processes, which is slow on a busy machine.
const ALONE = { ...BACK_OFFICE_ONLY, BELLHOP_ENVIRONMENTS: 'production' };
const PARTNERS = '/support/v1/production/partners';
const PARTNER = { name: 'Kept', integration_started_on: '2025-11-01', is_new: true };

/** Its exit code, and what it prints to stderr from now on. */
async function ending({ child }: BellhopProcess): Promise<[number | null, string]> {
  const said = text(child.stderr as NonNullable<typeof child.stderr>);
  const [code] = (await once(child, 'exit')) as [number | null];
  return [code, await said];
}

test('a deleted folder: no event is confirmed, and the process exits with 1', async () => {
  const folder = join(await temporaryFolder(), 'data');
  const bellhop = await spawnBellhop({ BELLHOP_DATA_DIR: folder });
  const { partnerId } = await bellhop.newKey('production');
  const event = (id: string) =>
    bellhop.support('POST', EVENTS, {
      event_id: id,
      type: 'created',
      partner_id: partnerId,
      partner_order_id: id,
    });
  expect(await event('before')).toMatchObject({ status: 202 });
  const ended = ending(bellhop);
  rmSync(folder, { recursive: true });
  const replies = await Promise.allSettled([
    event('after'),
    bellhop.support('POST', PARTNERS, PARTNER),
    bellhop.support('GET', '/health/ready'),
  ]);
  // If the process has already noticed, it no longer listens.
  for (const reply of replies) {
    if (reply.status === 'rejected') continue;
    const { status, body } = reply.value;
    expect([status, body.code ?? body.status]).toEqual([
      503,
      expect.stringMatching(/^(storage_gone|not ready)$/),
    ]);
    expect(JSON.stringify(body)).toContain(storageTroubles.storage_gone);
  }
  expect(await ended).toEqual([1, GONE]);
  expect(existsSync(folder)).toBe(false);
});

test('a deleted back-office database: no token is confirmed, and the process exits', async () => {
  const folder = join(await temporaryFolder(), 'data');
  const bellhop = await spawnBellhop({ BELLHOP_DATA_DIR: folder });
  const ended = ending(bellhop);
  rmSync(join(folder, 'back-office.db'));
  const token = { name: 'Ann', role: 'viewer' };
  const [made] = await Promise.allSettled([bellhop.support('POST', '/support/v1/tokens', token)]);
  if (made.status === 'fulfilled') {
    expect(made.value).toMatchObject({ status: 503, body: { code: 'storage_gone' } });
  }
  expect(await ended).toEqual([1, GONE]);
});

test('a moved folder: the process exits without touching a new folder at the old path', async () => {
  const folder = join(await temporaryFolder(), 'data');
  const settings = { ...ALONE, BELLHOP_DATA_DIR: folder };
  const first = await spawnBellhop(settings);
  await first.support('POST', PARTNERS, PARTNER);
  const ended = ending(first);
  renameSync(folder, `${folder}.moved`);
  // The first process gets no requests.
  const second = await spawnBellhop(settings);
  const kept = await second.support('POST', PARTNERS, PARTNER);
  expect(kept.status).toBe(201);
  expect(await ended).toEqual([1, GONE]);
  await second.kill();

  const names = async (dataDir: string) => {
    const bellhop = await startBellhop({ ...settings, BELLHOP_DATA_DIR: dataDir });
    const { body } = await bellhop.support('GET', PARTNERS);
    await bellhop.stop();
    return body.items.map(({ id }: { id: string }) => id);
  };
  expect(await names(folder)).toEqual([kept.body.id]);
  expect(await names(`${folder}.moved`)).toHaveLength(1);
});

test('a start without the master key asks for it, and one with a wrong key creates no database', async () => {
  const folder = await temporaryFolder();
  const settings = { ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: folder };
  await (await startBellhop({ ...settings, BELLHOP_ENVIRONMENTS: 'sandbox' })).stop();
  const file = join(folder, 'master.key');
  renameSync(file, `${file}.away`);
  const before = readdirSync(folder, { recursive: true }).sort();
  expect(await refusedStart(settings)).toMatch(/^The master key is missing: .*BELLHOP_MASTER_KEY/);
  const wrong = { ...settings, BELLHOP_MASTER_KEY: newMasterKey() };
  await expect(startBellhop(wrong)).rejects.toThrow(/sandbox was made with another BELLHOP_MASTER/);
  expect(readdirSync(folder, { recursive: true }).sort()).toEqual(before);
  renameSync(`${file}.away`, file);
  await startBellhop(settings);
});

describeWithPostgres('embedded production beside a sandbox on PostgreSQL', (freshDatabase) => {
  test("requires production's existing master key", async () => {
    const folder = await temporaryFolder();
    await (await startBellhop({ ...ALONE, BELLHOP_DATA_DIR: folder })).stop();
    const settings = {
      ...BACK_OFFICE_ONLY,
      BELLHOP_DATA_DIR: folder,
      BELLHOP_SANDBOX_DATABASE_URL: await freshDatabase(),
    };
    await expect(startBellhop(settings)).rejects.toThrow(
      /^BELLHOP_MASTER_KEY must be set with PostgreSQL \(BELLHOP_SANDBOX_DATABASE_URL\)/,
    );
    const another = newMasterKey();
    const refused = startBellhop({ ...settings, BELLHOP_MASTER_KEY: another });
    await expect(refused).rejects.toThrow(`give the one in ${join(folder, 'master.key')}`);
  });
});

test.skipIf(!existsSync('/proc/self'))(
  'the error names a data folder that cannot be created',
  async () => {
    expect(await refusedStart({ BELLHOP_DATA_DIR: '/proc/bellhop/data' }, 'setting')).toMatch(
      /^BELLHOP_DATA_DIR must name a folder that can be written to: ENOENT.*'\/proc\/bellhop'\.$/,
    );
  },
);
