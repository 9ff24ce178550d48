/** Imports that are killed, run at the same time on two nodes, or meet other changes. */
import { expect, test, vi } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { basic, spawnBellhop, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { oldApiKey, oldKeyId } from '../testing/old-system.ts';
import { newMasterKey } from '../testing/settings.ts';
import { overview } from './called-overview.ts';
import { ALLOW_LOOPBACK, BASE, fileOf, importInto } from './imported-files.ts';

async function countKeys({ support }: TestBellhop): Promise<number> {
  return (await support('GET', `${BASE}/keys/count`)).body.count;
}

async function expectAllOrNothingAfterKill(storage: Record<string, string>): Promise<void> {
  const system = { keys: 8_000 };
  const file = fileOf(system);
  const settings = { ...ALLOW_LOOPBACK, ...storage };
  const killed = await spawnBellhop({ ...settings, ...BACK_OFFICE_ONLY });
  const importing = importInto(killed, file).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, Math.random() * 1_000));
  await killed.kill();
  await importing;
  const bellhop = await spawnBellhop(settings);
  expect([0, system.keys]).toContain(await countKeys(bellhop));
  expect((await importInto(bellhop, file)).status).toBe(200);
  expect(await countKeys(bellhop)).toBe(system.keys);
  const last = system.keys - 2;
  const authorization = basic(oldKeyId(system, last), oldApiKey(last));
  expect((await overview(bellhop, authorization)).status).toBe(200);
  await bellhop.stop();
}

test('kill -9 in the middle leaves nothing or everything, and the import can be repeated', async () => {
  await expectAllOrNothingAfterKill({ BELLHOP_DATA_DIR: await temporaryFolder() });
});

describeWithPostgres('on PostgreSQL', (_empty, databaseWithTables) => {
  const production = async () => ({
    BELLHOP_ENVIRONMENTS: 'production',
    BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
    BELLHOP_MASTER_KEY: newMasterKey(),
  });

  test('kill -9 in the middle leaves nothing or everything, and the import can be repeated', async () => {
    await expectAllOrNothingAfterKill(await production());
  });

  test('two nodes import the same file at the same time while keys are rotated: no half, no lost rotation', async () => {
    const settings = { ...ALLOW_LOOPBACK, ...(await production()) };
    const nodes = await Promise.all([startBellhop(settings), startBellhop(settings)]);
    const [one, other] = nodes as [TestBellhop, TestBellhop];
    const system = { keys: 1_000 };
    const file = fileOf(system);
    const replies = await Promise.all(nodes.map((node) => importInto(node, file)));
    expect(replies.map(({ status }) => status)).toContain(200);
    for (const { status, body } of replies) {
      if (status !== 200) expect([status, body.code]).toEqual([409, 'changed_meanwhile']);
    }
    expect(await countKeys(other)).toBe(system.keys);
    const authorization = basic(oldKeyId(system, 5), oldApiKey(5));
    for (const node of nodes) expect((await overview(node, authorization)).status).toBe(200);

    const relabelled = file.replaceAll('"credential ', '"relabelled ');
    const rotated = oldKeyId(system, 7);
    const [changed, rotation] = await Promise.all([
      importInto(one, relabelled),
      other.support('POST', `${BASE}/keys/${rotated}/rotation`, {}),
    ]);
    expect(changed).toMatchObject({ status: 200, body: { keys: { changed: system.keys } } });
    expect(rotation.status).toBe(200);
    for (const apiKey of [oldApiKey(7), rotation.body.api_key]) {
      expect((await overview(one, basic(rotated, apiKey))).status).toBe(200);
    }
    const { body: key } = await one.support('GET', `${BASE}/keys/${rotated}`);
    expect(key).toMatchObject({
      label: 'relabelled 7',
      previous_key_valid_until: expect.any(String),
    });
    expect((await importInto(other, relabelled)).body.keys).toMatchObject({ unchanged: 1_000 });

    const disabled = JSON.stringify({ kind: 'key', key_id: oldKeyId(system, 5), disabled: true });
    expect((await importInto(one, disabled)).status).toBe(200);
    const seen = async () => expect((await overview(other, authorization)).status).toBe(403);
    await vi.waitFor(seen, { timeout: 15_000, interval: 50 });
  });
});
