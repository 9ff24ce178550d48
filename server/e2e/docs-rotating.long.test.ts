/** Runs docs/operating/rotating-the-master-key.md against running processes. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { spawnBellhop, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { runShell, shellBlock } from '../testing/shell-in-markdown.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { runCommand } from './cli-command.ts';
import { DELIVERIES, EVENTS, newEvent, newSender } from './webhook-bellhop.ts';

// These tests start whole processes, which is slow on a busy machine.
type Settings = Record<string, string>;

const PAGE = 'docs/operating/rotating-the-master-key.md';
const ONE_ENVIRONMENT = {
  BELLHOP_ENVIRONMENTS: 'production',
  ...LOOPBACK_RECEIVERS,
};

async function overviewStatus({ addresses }: TestBellhop, authorization: string): Promise<number> {
  const reply = await fetch(`${addresses.production}/api/b2b/v3/overview/`, {
    headers: { authorization },
  });
  await reply.arrayBuffer();
  return reply.status;
}

test('a generated key is replaced with one restart, and its keys still sign in and sign webhooks', async () => {
  const env = { ...ONE_ENVIRONMENT, BELLHOP_DATA_DIR: join(await temporaryFolder(), 'data') };
  const file = join(env.BELLHOP_DATA_DIR, 'master.key');
  const first = await spawnBellhop(env);
  const receiver = await startReceiver();
  const sender = await newSender(first, receiver.url);
  const { authorization } = await first.newKey('production');
  const oldKey = readFileSync(file, 'utf8');
  await runShell(shellBlock(PAGE, 'new-key'), { env });
  expect(readFileSync(file, 'utf8').split('\n')[1]).toBe(oldKey.trim());
  const tooEarly = await runCommand(['reseal'], env);
  expect(tooEarly).toMatchObject({ code: 1 });
  expect(tooEarly.stderr).toMatch(/^A running Bellhop does not have the master key/);
  expect(await overviewStatus(first, authorization)).toBe(200);
  await first.stop();

  const second = await spawnBellhop(env);
  const later = await second.newKey('production');
  const unfinished = await runCommand(['reseal', '--check'], env);
  expect(unfinished).toMatchObject({ code: 1 });
  expect(unfinished.stderr).toMatch(/^Still needed: master key [0-9a-f]{8} in production\./);
  await runShell(shellBlock(PAGE, 'reseal'), { env });
  expect(await runShell(shellBlock(PAGE, 'check'), { env })).toContain(
    'Only the current master key is needed.',
  );
  expect(await overviewStatus(second, authorization)).toBe(200);
  await second.stop();

  // Without the old key, everything still works.
  writeFileSync(file, readFileSync(file, 'utf8').split('\n')[0] ?? '');
  const third = await startBellhop(env);
  expect(await overviewStatus(third, authorization)).toBe(200);
  expect(await overviewStatus(third, later.authorization)).toBe(200);
  await third.support('POST', EVENTS, newEvent(sender, { partner_order_id: 'after' }));
  await eventually(
    async () => (await third.support('GET', `${DELIVERIES}?partner_order_id=after`)).body.items[0],
    ({ state }) => state === 'delivered',
  );
});

describeWithPostgres('two nodes on PostgreSQL', (_empty, databaseWithTables) => {
  test('change the master key in three rounds, and refuse a round that was skipped', async () => {
    const [oldKey, newKey] = [newMasterKey(), (await makeKey()).trim()];
    const shared = {
      ...ONE_ENVIRONMENT,
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
    };
    const onlyOld = { ...shared, BELLHOP_MASTER_KEY: oldKey };
    const knowsNew = { ...onlyOld, BELLHOP_PREVIOUS_MASTER_KEYS: newKey };
    const swapped = {
      ...shared,
      BELLHOP_MASTER_KEY: newKey,
      BELLHOP_PREVIOUS_MASTER_KEYS: oldKey,
    };
    const onlyNew = { ...shared, BELLHOP_MASTER_KEY: newKey };

    const calls = (settings: Settings) =>
      startBellhop({ ...settings, BELLHOP_ROLES: 'partner-api' });
    const office = (settings: Settings) => startBellhop({ ...settings, ...BACK_OFFICE_ONLY });

    let a = await calls(onlyOld);
    let b = await office(onlyOld);
    const { authorization } = await b.newKey('production');
    await b.stop();
    await expect(office(swapped)).rejects.toThrow(/does not have the master key/);

    b = await office(knowsNew);
    await a.stop();
    a = await calls(knowsNew);
    await b.stop();
    b = await office(swapped);
    // Sealed with the new key, and accepted by the node that still seals with the old one.
    const later = await b.newKey('production');
    expect(await overviewStatus(a, later.authorization)).toBe(200);
    const tooEarly = await runCommand(['reseal'], swapped);
    expect(tooEarly.stderr).toMatch(/^A running Bellhop still seals new keys with the master key/);
    await a.stop();
    a = await calls(swapped);

    await runShell(shellBlock(PAGE, 'reseal'), { env: swapped });
    await runShell(shellBlock(PAGE, 'check'), { env: swapped });
    await a.stop();
    a = await calls(onlyNew);
    expect(await overviewStatus(a, authorization)).toBe(200);
    expect(await overviewStatus(a, later.authorization)).toBe(200);
  });
});

function makeKey(): Promise<string> {
  return runShell(shellBlock(PAGE, 'make-key').trim());
}
