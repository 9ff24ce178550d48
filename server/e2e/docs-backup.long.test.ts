/**
 * Runs docs/operating/backup.md as it is, against a Bellhop that accepts events meanwhile. The restored
 * copy has the partners, keys and deliveries, and keeps delivering.
 */
import { mkdir } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, pathFolders } from '../../kit/find.ts';
import { findPostgres } from '../../kit/postgres.ts';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { spawnBellhop, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { browserWith, newLink, press, signedInBrowser } from '../testing/portal-browser.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { runShell, shellBlock } from '../testing/shell-in-markdown.ts';
import { startReceiver, status, type WebhookReceiver } from '../testing/webhook-receiver.ts';
import { DELIVERIES, EVENTS, newEvent, newSender, type Sender } from './webhook-bellhop.ts';

// These tests start whole processes, which is slow on a busy machine.
const PAGE = 'docs/operating/backup.md';
const TOKENS = '/support/v1/tokens';

interface Kept {
  sender: Sender;
  sandboxAuthorization: string;
  receiver: WebhookReceiver;
  token: string;
}

/** One delivered webhook, one that waits for its retry, a key in each environment, and a token. */
async function use(bellhop: TestBellhop): Promise<Kept> {
  const receiver = await startReceiver();
  const sender = await newSender(bellhop, receiver.url);
  await send(bellhop, sender, 'delivered before');
  await untilState(bellhop, 'delivered before', 'delivered');
  receiver.answer = status(500);
  await send(bellhop, sender, 'pending then');
  await eventually(
    () => deliveryOf(bellhop, 'pending then'),
    ({ attempts_made }) => attempts_made === 1,
  );
  const { authorization } = await bellhop.newKey('sandbox');
  const { body } = await bellhop.support('POST', TOKENS, { name: 'Ann', role: 'admin' });
  return { sender, sandboxAuthorization: authorization, receiver, token: body.token };
}

/** Posts events throughout the backup; resolves to the number accepted. */
function keepSending(bellhop: TestBellhop, sender: Sender): () => Promise<number> {
  let stopped = false;
  let taken = 0;
  const sending = (async () => {
    while (!stopped) {
      await send(bellhop, sender, `meanwhile ${taken}`);
      taken++;
    }
  })();
  return async () => {
    stopped = true;
    await sending;
    return taken;
  };
}

async function send(bellhop: TestBellhop, sender: Sender, partner_order_id: string): Promise<void> {
  const reply = await bellhop.support('POST', EVENTS, newEvent(sender, { partner_order_id }));
  expect(reply.status).toBe(202);
}

async function expectAllThere(restored: TestBellhop, kept: Kept): Promise<void> {
  const { sender, receiver, sandboxAuthorization, token } = kept;
  expect((await restored.support('GET', TOKENS, undefined, token)).status).toBe(200);
  receiver.answer = status(200);
  expect(await deliveryOf(restored, 'delivered before')).toMatchObject({ state: 'delivered' });
  const { id, state } = await deliveryOf(restored, 'pending then');
  expect(state).toBe('pending');
  await restored.support('POST', `${DELIVERIES}/${id}/retry`);
  await untilState(restored, 'pending then', 'delivered');
  const { production, sandbox } = restored.addresses;
  const authorization = `Basic ${Buffer.from(`${sender.keyId}:${sender.apiKey}`).toString('base64')}`;
  expect(await overviewStatus(production, authorization)).toBe(200);
  expect(await overviewStatus(sandbox, sandboxAuthorization)).toBe(200);
  expect(await overviewStatus(sandbox, authorization)).toBe(401);
}

async function overviewStatus(address: string, authorization: string): Promise<number> {
  const reply = await fetch(`${address}/api/b2b/v3/overview/`, { headers: { authorization } });
  await reply.arrayBuffer();
  return reply.status;
}

interface FoundDelivery {
  id: string;
  state: string;
  attempts_made: number;
}

async function deliveryOf(bellhop: TestBellhop, order: string): Promise<FoundDelivery> {
  const path = `${DELIVERIES}?partner_order_id=${encodeURIComponent(order)}`;
  return (await bellhop.support('GET', path)).body.items[0];
}

async function untilState(bellhop: TestBellhop, order: string, wanted: string): Promise<void> {
  await eventually(
    () => deliveryOf(bellhop, order),
    ({ state }) => state === wanted,
  );
}

/** What somebody ended after the backup, and what a restore must not give back unseen. */
async function useThenEnd(bellhop: TestBellhop) {
  const { partnerId, ...revoked } = await bellhop.newKey('sandbox');
  const [used, unused] = [
    await newLink(bellhop, 'sandbox', partnerId),
    await newLink(bellhop, 'sandbox', partnerId),
  ];
  const session = await signedInBrowser(bellhop, 'sandbox', partnerId);
  const { body: token } = await bellhop.support('POST', TOKENS, { name: 'Bob', role: 'viewer' });
  return {
    revoked,
    token: token as { id: string },
    async end() {
      expect((await press(used.url)).status).toBe(303);
      await bellhop.support('DELETE', `/support/v1/sandbox/keys/${revoked.keyId}`);
      await bellhop.support('DELETE', `${TOKENS}/${token.id}`);
    },
    async expectEnded(restored: TestBellhop) {
      for (const { url } of [used, unused]) {
        const { pathname } = new URL(url);
        expect((await press(restored.addresses.portal + pathname)).status).toBe(410);
      }
      const browser = browserWith(restored, 'sandbox', session.cookie);
      expect((await browser.get('me')).status).toBe(401);
    },
  };
}

test('an embedded Bellhop is backed up while it runs, and restored after a crash', async () => {
  const folder = await temporaryFolder();
  const DATA = join(folder, 'data');
  const BACKUPS = join(folder, 'backups');
  const SECRETS = join(folder, 'secrets');
  await mkdir(SECRETS);
  const running = await spawnBellhop({ ...LOOPBACK_RECEIVERS, BELLHOP_DATA_DIR: DATA });
  const kept = await use(running);
  const ended = await useThenEnd(running);
  const stopSending = keepSending(running, kept.sender);
  const output = await runShell(shellBlock(PAGE, 'embedded-backup'), {
    env: { BACKUPS, BELLHOP_DATA_DIR: DATA },
  });
  await runShell(shellBlock(PAGE, 'embedded-key'), { env: { DATA, SECRETS } });
  expect(await stopSending()).toBeGreaterThan(0);
  expect(output).toMatch(/^production\/bellhop\.db .* 1 partner, 1 key, 1 midoffice, /m);
  await ended.end();
  await running.kill();

  const restored = { OLD_DATA: DATA, DATA: join(folder, 'restored'), BACKUPS, SECRETS };
  const told = await runShell(shellBlock(PAGE, 'embedded-restore'), { env: restored });
  expect(told).toMatch(new RegExp(`^sandbox +key +${ended.revoked.keyId} .*revoked`, 'm'));
  expect(told).toMatch(new RegExp(`^both +token +${ended.token.id} .*Bob.*revoked`, 'm'));
  expect(told).not.toContain(kept.sender.keyId);
  await runShell(shellBlock(PAGE, 'embedded-restore-key'), { env: restored });
  const again = await startBellhop({ ...LOOPBACK_RECEIVERS, BELLHOP_DATA_DIR: restored.DATA });
  await expectAllThere(again, kept);
  await ended.expectEnded(again);
  // A running Bellhop uses this folder.
  const repeated = runShell(shellBlock(PAGE, 'embedded-restore'), { env: restored });
  await expect(repeated).rejects.toThrow(/is not empty, and may belong to a running Bellhop/);
});

describeWithPostgres('PostgreSQL', (freshDatabase, databaseWithTables) => {
  const programs = folderWith(['pg_dump', 'pg_restore'], [findPostgres() ?? '', ...pathFolders()]);

  test.skipIf(programs === null)('is dumped while Bellhop runs, and restored', async () => {
    const BACKUP = await temporaryFolder();
    const PATH = [programs, process.env.PATH].join(delimiter);
    const old = {
      BELLHOP_PRODUCTION_DATABASE_URL: await databaseWithTables(),
      BELLHOP_SANDBOX_DATABASE_URL: await databaseWithTables(),
    };
    const settings = {
      ...LOOPBACK_RECEIVERS,
      BELLHOP_MASTER_KEY: newMasterKey(),
    };
    const running = await spawnBellhop({ ...settings, ...old });
    const kept = await use(running);
    const ended = await useThenEnd(running);
    const stopSending = keepSending(running, kept.sender);
    await runShell(shellBlock(PAGE, 'postgres-backup'), { env: { PATH, BACKUP, ...old } });
    expect(await stopSending()).toBeGreaterThan(0);
    await ended.end();
    await running.kill();

    const restoredTo = {
      NEW_PRODUCTION_DATABASE_URL: await freshDatabase(),
      NEW_SANDBOX_DATABASE_URL: await freshDatabase(),
    };
    await runShell(shellBlock(PAGE, 'postgres-restore'), { env: { PATH, BACKUP, ...restoredTo } });
    const production = { BELLHOP_PRODUCTION_DATABASE_URL: restoredTo.NEW_PRODUCTION_DATABASE_URL };
    const sandbox = { BELLHOP_SANDBOX_DATABASE_URL: restoredTo.NEW_SANDBOX_DATABASE_URL };
    const otherKey = { BELLHOP_MASTER_KEY: newMasterKey() };
    await expect(startBellhop({ ...settings, ...otherKey, ...production })).rejects.toThrow(
      /another BELLHOP_MASTER_KEY/,
    );
    const mixedUp = { BELLHOP_SANDBOX_DATABASE_URL: restoredTo.NEW_PRODUCTION_DATABASE_URL };
    await expect(
      startBellhop({ ...settings, ...mixedUp, BELLHOP_ENVIRONMENTS: 'sandbox' }),
    ).rejects.toThrow(/belongs to production/);
    const restored = await startBellhop({ ...settings, ...production, ...sandbox });
    await expectAllThere(restored, kept);
    await ended.expectEnded(restored);
  });
});
