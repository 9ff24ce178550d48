/** Runs docs/operating/move.md: to PostgreSQL and back, with everything that a used Bellhop has. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { expect, test } from 'vitest';
import { processEnv } from '../../kit/bellhop.ts';
import { query } from '../../kit/postgres.ts';
import { describeWithPostgres, temporaryFolder } from '../../test/support.ts';
import { createLogger } from '../src/base/logging/logger.ts';
import { runMove } from '../src/operate/move/run-move.ts';
import { basic, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { LOOPBACK_RECEIVERS } from '../testing/settings.ts';
import { runShell, shellBlock } from '../testing/shell-in-markdown.ts';
import { startReceiver, status, type WebhookReceiver } from '../testing/webhook-receiver.ts';
import { runCommand } from './cli-command.ts';
import { DELIVERIES, EVENTS, newEvent, newSender, type Sender } from './webhook-bellhop.ts';

// These tests start whole processes, which is slow on a busy machine.
const SETTINGS = {
  BELLHOP_ENVIRONMENTS: 'production',
  ...LOOPBACK_RECEIVERS,
  // Nothing is retried by itself during a test, however slow the machine is.
  BELLHOP_PRODUCTION_RETRY_SCHEDULE: '2x1h',
};
const PAGE = 'docs/operating/move.md';
const PRODUCTION = '/support/v1/production';

interface Kept {
  sender: Sender;
  token: string;
  receiver: WebhookReceiver;
}

async function send(bellhop: TestBellhop, sender: Sender, order: string): Promise<void> {
  const event = newEvent(sender, { event_id: order, partner_order_id: order });
  expect((await bellhop.support('POST', EVENTS, event)).status).toBe(202);
}

async function delivery(bellhop: TestBellhop, order: string) {
  return (await bellhop.support('GET', `${DELIVERIES}?partner_order_id=${order}`)).body.items[0];
}

async function untilDelivered(bellhop: TestBellhop, order: string): Promise<void> {
  await eventually(
    () => delivery(bellhop, order),
    ({ state }) => state === 'delivered',
  );
}

async function call({ addresses }: TestBellhop, { keyId, apiKey }: Sender): Promise<number> {
  const reply = await fetch(`${addresses.production}/api/b2b/v3/overview/`, {
    headers: { authorization: basic(keyId, apiKey) },
  });
  await reply.arrayBuffer();
  return reply.status;
}

/** A delivered webhook, one that waits for its retry, a window of a day with one of three calls left. */
async function use(bellhop: TestBellhop): Promise<Kept> {
  const receiver = await startReceiver();
  const sender = await newSender(bellhop, receiver.url);
  await send(bellhop, sender, 'delivered');
  await untilDelivered(bellhop, 'delivered');
  receiver.answer = status(500);
  await send(bellhop, sender, 'waiting');
  await eventually(
    () => delivery(bellhop, 'waiting'),
    ({ attempts_made }) => attempts_made === 1,
  );
  const limit = { endpoint: 'api/b2b/v3/overview/', is_limited: true, requests_number: 3 };
  const grant = await bellhop.support('PUT', `${PRODUCTION}/keys/${sender.keyId}/endpoints`, {
    ...limit,
    ...{ is_active: true, is_debug_mode: false, seconds_number: 86_400 },
  });
  expect(grant.status).toBe(200);
  expect([await call(bellhop, sender), await call(bellhop, sender)]).toEqual([200, 200]);
  const note = { text: 'Zoë’s 🧳 "note"\n\\u0041' };
  await bellhop.support('POST', `${PRODUCTION}/partners/${sender.partnerId}/notes`, note);
  const { body } = await bellhop.support('POST', '/support/v1/tokens', {
    name: 'Ann',
    role: 'admin',
  });
  return { sender, token: body.token, receiver };
}

/** What must be the same on both sides; times and all. */
async function picture(bellhop: TestBellhop, { sender, token }: Kept) {
  const read = async (path: string) =>
    (await bellhop.support('GET', PRODUCTION + path, undefined, token)).body;
  const [delivered, waiting] = [
    await delivery(bellhop, 'delivered'),
    await delivery(bellhop, 'waiting'),
  ];
  return {
    partner: await read(`/partners/${sender.partnerId}`),
    notes: await read(`/partners/${sender.partnerId}/notes`),
    // The day of its last call is written within 10 seconds.
    key: { ...(await read(`/keys/${sender.keyId}`)), last_used_on: undefined },
    endpoints: await read(`/keys/${sender.keyId}/endpoints`),
    midoffices: (await read('/midoffices')).items.map(withoutNode),
    delivered: await read(`/deliveries/${delivered.id}`),
    waiting: await read(`/deliveries/${waiting.id}`),
    audit: await read('/audit?limit=200'),
  };
}

/** Which process delivers to it changes with every start. */
function withoutNode({ delivery_node: _node, ...midoffice }: Record<string, unknown>) {
  return midoffice;
}

describeWithPostgres('bellhop move', (emptyDatabase) => {
  test('takes everything to PostgreSQL and back, and sends nothing twice', async () => {
    const folder = await temporaryFolder();
    const embedded = { ...SETTINGS, BELLHOP_DATA_DIR: join(folder, 'data') };
    const url = await emptyDatabase();
    const first = await startBellhop(embedded);
    const kept = await use(first);
    const before = await picture(first, kept);
    const toPostgres = ['move', '--to', url];
    expect(await runCommand(toPostgres, embedded)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^Another Bellhop process is using /),
    });
    await first.stop();

    const moved = await runCommand(toPostgres, embedded);
    expect(moved.stderr).toBe('');
    expect(moved.stdout).toMatch(/^delivery +2$/m);
    expect(moved.stdout).toMatch(/^counted calls +2$/m);
    await expect(startBellhop(embedded)).rejects.toThrow(/production was moved to postgres/);

    // Nobody has used the target yet, so the move can be undone, and made again into a new database.
    await runShell(shellBlock(PAGE, 'move-undo'), { env: { ...embedded, NEW_DATABASE_URL: url } });
    const masterKey = readFileSync(join(folder, 'data', 'master.key'), 'utf8').trim();
    const onPostgres = (address: string) => ({
      ...embedded,
      BELLHOP_PRODUCTION_DATABASE_URL: address,
      BELLHOP_MASTER_KEY: masterKey,
    });
    await expect(startBellhop(onPostgres(url))).rejects.toThrow(/a move that was undone/);
    const again = await emptyDatabase();
    await runShell(shellBlock(PAGE, 'move-up'), { env: { ...embedded, NEW_DATABASE_URL: again } });

    const second = await startBellhop(onPostgres(again));
    expect(await picture(second, kept)).toEqual(before);
    expect([await call(second, kept.sender), await call(second, kept.sender)]).toEqual([200, 429]);
    const received = kept.receiver.received.length;
    kept.receiver.answer = status(200);
    await send(second, kept.sender, 'later');
    await untilDelivered(second, 'later');
    expect(Number((await delivery(second, 'later')).id.slice(4))).toBeGreaterThan(
      Number(before.waiting.id.slice(4)),
    );
    await send(second, kept.sender, 'delivered');
    expect(kept.receiver.received.length).toBe(received + 1);
    const last = await picture(second, kept);
    await second.stop();
    expect(await runCommand(['move', '--to', again, '--undo'], embedded)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/has been used since the move/),
    });

    const back = join(folder, 'back');
    await runShell(shellBlock(PAGE, 'move-back'), {
      env: { ...embedded, DATABASE_URL: again, DATA: back },
    });
    await expect(startBellhop(onPostgres(again))).rejects.toThrow(/was moved to /);
    const third = await startBellhop({
      ...SETTINGS,
      BELLHOP_DATA_DIR: back,
      BELLHOP_MASTER_KEY: masterKey,
    });
    expect(await picture(third, kept)).toEqual(last);
    expect(await call(third, kept.sender)).toBe(429);
    await third.support('POST', `${DELIVERIES}/${last.waiting.id}/retry`);
    await untilDelivered(third, 'waiting');
    await send(third, kept.sender, 'last');
    await untilDelivered(third, 'last');
    expect(kept.receiver.received.map(({ orderId }) => orderId)).toEqual([
      ...['delivered', 'waiting', 'later', 'waiting', 'last'],
    ]);
  });

  test('that is killed leaves the source as it was, and the same move again is complete', async () => {
    const folder = await temporaryFolder();
    const dataDir = join(folder, 'data');
    const settings = { ...SETTINGS, BELLHOP_DATA_DIR: dataDir, BELLHOP_ROLES: 'back-office' };
    const first = await startBellhop(settings);
    await send(first, await newSender(first), 'waiting');
    await first.stop();
    const url = await emptyDatabase();
    const up = { from: dataDir, to: url };
    await killedMove(up, { at: 'delivery' });
    const masterKey = readFileSync(join(dataDir, 'master.key'), 'utf8').trim();
    const onTarget = {
      ...settings,
      BELLHOP_PRODUCTION_DATABASE_URL: url,
      BELLHOP_MASTER_KEY: masterKey,
    };
    await expect(startBellhop(onTarget)).rejects.toThrow(/a move that has not ended/);
    await (await startBellhop(settings)).stop();
    await expect(move(up)).rejects.toThrow(/has the remains of a move that was interrupted/);
    await query(url, 'drop schema bellhop cascade; drop schema bellhop_back_office cascade');
    expect(await move(up)).toContainEqual({ table: 'delivery', rows: 1 });

    // Killed between the marks of the two: neither is used until the same move completes it.
    await query(
      url,
      `update bellhop.meta
          set name = 'arriving', value = value::jsonb || '{"state": "complete"}'
        where name = 'unused_since_move'`,
    );
    await expect(startBellhop(onTarget)).rejects.toThrow(/a move that has not ended/);
    await expect(startBellhop(settings)).rejects.toThrow(/was moved to/);
    expect(await move(up)).toBeUndefined();
    await (await startBellhop(onTarget)).stop();

    const back = { from: url, to: join(folder, 'back') };
    const onBack = { ...settings, BELLHOP_DATA_DIR: back.to, BELLHOP_MASTER_KEY: masterKey };
    await killedMove(back, { at: 'pending' });
    await expect(startBellhop(onBack)).rejects.toThrow(/"bellhop move" has not completed/);
    // Once more, when the new files have their names but the source is not marked.
    const blocking = new pg.Client({ connectionString: url });
    await blocking.connect();
    await blocking.query('begin; lock table bellhop.meta in exclusive mode');
    await killedMove(back, {
      when: async () => {
        const { rows } = await blocking.query(
          "select from pg_locks where relation = 'bellhop.meta'::regclass and not granted",
        );
        return rows.length > 0;
      },
    });
    await blocking.end();
    await expect(startBellhop(onBack)).rejects.toThrow(/a move that has not ended/);
    await expect(move({ ...back, from: await emptyDatabase() })).rejects.toThrow(/no data of/);
    expect(await move(back)).toContainEqual({ table: 'delivery', rows: 1 });
    expect(readdirSync(back.to).sort()).toEqual(['back-office.db', 'production']);
    const last = await startBellhop(onBack);
    expect(await delivery(last, 'waiting')).toMatchObject({ state: 'pending' });
  });
});

interface Ends {
  from: string;
  to: string;
}

function move(ends: Ends) {
  const log = createLogger('silent', () => {});
  const environment = 'production';
  return runMove({ ...ends, environment, nowMs: Date.now(), log, onProgress() {} });
}

/** Runs the move in a process that is killed when it copies this table, or when the condition holds. */
async function killedMove(
  ends: Ends,
  { at, when }: { at?: string; when?: () => Promise<boolean> },
): Promise<void> {
  const code = `
    import { createLogger } from ${JSON.stringify(import.meta.resolve('../src/base/logging/logger.ts'))};
    import { runMove } from ${JSON.stringify(import.meta.resolve('../src/operate/move/run-move.ts'))};
    await runMove({
      ...${JSON.stringify({ ...ends, environment: 'production', nowMs: Date.now() })},
      log: createLogger('silent', () => {}),
      onProgress(table) {
        if (table === ${JSON.stringify(at)}) process.kill(process.pid, 'SIGKILL');
      },
    });`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    env: processEnv,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  if (when) {
    await eventually(when, (holds) => holds);
    child.kill('SIGKILL');
  }
  expect(await ended).toEqual([null, 'SIGKILL']);
}
