/**
 * A disk that is full, read-only or broken. Every write is refused with one code and one sentence,
 * readiness and the log say the same, and calls that need no write still work. Bellhop recovers by
 * itself when the disk does.
 */

import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { systemClock } from '../src/clock.ts';
import { readConfig } from '../src/config/config.ts';
import { closeAll, Drains } from '../src/disposal.ts';
import { openEnvironment, withLimiter } from '../src/environment.ts';
import { createLogger } from '../src/logging/logger.ts';
import { Metrics } from '../src/metrics.ts';
import { openServices } from '../src/services.ts';
import { openBackOfficeStore } from '../src/store/back-office/open.ts';
import { type StorageTrouble, storageTroubles } from '../src/store/storage-trouble.ts';
import { ensureFirstToken } from '../src/support/tokens/tokens.ts';
import { partnerSideOf } from '../src/threads/main-side.ts';
import {
  ADMIN_TOKEN,
  type Addresses,
  type BellhopProcess,
  type SupportReply,
  settingsForTest,
  spawnBellhop,
  startBellhop,
  type TestBellhop,
  withHelpers,
} from '../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../testing/engines.ts';
import { eventually } from '../testing/eventually.ts';
import { canMount, tinyDisk } from './tiny-disk.ts';
import { EVENTS } from './webhook-bellhop.ts';

// These tests start whole processes, which is slow on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

/** Only the parts under test, so that it starts quickly. */
const ALONE = { BELLHOP_ENVIRONMENTS: 'production' };
const PARTNERS = '/support/v1/production/partners';
const PARTNER = { name: 'P'.repeat(200), integration_started_on: '2025-11-01', is_new: true };
/** More than the free space inside any of the files. */
const MOST_TRIES = 400;
const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

const changePartners = ({ support }: TestBellhop) => support('POST', PARTNERS, PARTNER);

/** Every kind of write that the back office makes. */
function writes(bellhop: TestBellhop, partnerId: string): (() => Promise<SupportReply>)[] {
  const { support } = bellhop;
  const event = () => ({
    event_id: randomBytes(60).toString('hex'),
    type: 'created',
    partner_id: partnerId,
    partner_order_id: 'order',
  });
  return [
    () => changePartners(bellhop),
    () => support('PATCH', `${PARTNERS}/${partnerId}`, { name: randomBytes(100).toString('hex') }),
    () => support('POST', `${PARTNERS}/${partnerId}/keys`, {}),
    () => support('POST', '/support/v1/tokens', { name: 'one more', role: 'viewer' }),
    () => support('POST', '/console/session', { token: ADMIN_TOKEN }),
    () => support('POST', EVENTS, event()),
    () => support('POST', EVENTS, { events: Array.from({ length: 300 }, event) }),
  ];
}

/** The free space inside the files is used up first. */
async function untilRefused(write: () => Promise<SupportReply>): Promise<SupportReply> {
  for (let i = 0; ; i++) {
    const reply = await write();
    if (reply.status >= 400 || i === MOST_TRIES) return reply;
  }
}

function expectRefusal(reply: SupportReply, code: StorageTrouble): void {
  expect(reply).toMatchObject({
    status: 503,
    body: { code, status: 503, title: storageTroubles[code], detail: storageTroubles[code] },
  });
  expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0);
}

const readiness = ({ support }: TestBellhop) => support('GET', '/health/ready');

const notReady = (code: StorageTrouble) => ({
  status: 503,
  body: { status: 'not ready', troubles: [`production: ${storageTroubles[code]}`] },
});

const untilReady = (bellhop: TestBellhop) =>
  eventually(
    () => readiness(bellhop),
    ({ body }) => body.status === 'ready',
  );

/** Lines of level warn and error, from now on. */
function logOf({ child }: BellhopProcess): () => { reason?: string; msg: string }[] {
  let text = '';
  child.stderr?.on('data', (chunk) => {
    text += chunk;
  });
  return () =>
    text
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line));
}

test.skipIf(!canMount)(
  'a full disk is reported everywhere, once in the log, until there is space',
  async () => {
    const disk = tinyDisk();
    const bellhop = await spawnBellhop({
      ...ALONE,
      BELLHOP_DATA_DIR: join(disk.folder, 'data'),
      BELLHOP_LOG_LEVEL: 'warn',
    });
    const log = logOf(bellhop);
    const { partnerId, authorization } = await bellhop.newKey('production');
    const call = async (endpoint: string) => {
      const url = `${bellhop.addresses.production}/api/b2b/v3/${endpoint}`;
      const reply = await fetch(url, { headers: { authorization } });
      return [reply.status, await reply.text()] as const;
    };
    disk.fill();
    // A call that must be journaled before the reply gets a 500; that alone makes it not ready.
    const [, text] = await eventually(
      () => call('overview/'),
      ([status]) => status === 500,
    );
    expect(text).toContain('unknown');
    const { status, body } = await readiness(bellhop);
    expect([status, body.troubles[0]]).toEqual([
      503,
      `production: ${storageTroubles.storage_full}`,
    ]);
    for (let i = 0; i < 50; i++) {
      expectRefusal(await untilRefused(() => changePartners(bellhop)), 'storage_full');
    }
    for (const write of writes(bellhop, partnerId)) {
      expectRefusal(await untilRefused(write), 'storage_full');
    }
    expect(await bellhop.support('GET', PARTNERS)).toMatchObject({ status: 200 });
    expect((await call('hotel/info/'))[0]).toBe(501);

    disk.makeRoom();
    await untilReady(bellhop);
    expect(await changePartners(bellhop)).toMatchObject({ status: 201 });
    expect((await call('overview/'))[0]).toBe(200);
    await bellhop.stop();
    expect(bellhop.child.exitCode).toBe(0);
    // One from the partner API's thread and one from the back office's.
    const full = log().filter(({ msg }) => msg === storageTroubles.storage_full);
    expect(full.length).toBeLessThanOrEqual(2);
    for (const { reason } of full) expect(reason).toMatch(/^SQLITE_(FULL|IOERR_SHMSIZE)$/);
    const again = log().filter(({ msg }) => msg === 'The database can be written to again.');
    expect(again).toHaveLength(full.length);
    expect(log().length).toBe(full.length + again.length);
  },
);

test.skipIf(!canMount)(
  'a start on a full disk gives the reason and leaves no incomplete key file',
  async () => {
    const disk = tinyDisk();
    const settings = { ...BACK_OFFICE_ONLY, BELLHOP_DATA_DIR: join(disk.folder, 'data') };
    disk.fill();
    await expect(startBellhop(settings)).rejects.toThrow(
      /^The master key cannot be written to .*ENOSPC/,
    );
    expect(existsSync(join(settings.BELLHOP_DATA_DIR, 'master.key'))).toBe(false);
    disk.makeRoom();
    await (await startBellhop(settings)).stop();
    disk.fill();
    await expect(startBellhop(settings)).rejects.toThrow(
      /^The database in \S+ cannot be opened \(.*\); free some space on its disk and start Bellhop/,
    );
  },
);

test.skipIf(!hasPrlimit)(
  'a disk that fails to write is distinguished from a full one',
  async () => {
    const bellhop = await spawnBellhop({
      ...ALONE,
      ...BACK_OFFICE_ONLY,
      BELLHOP_LOG_LEVEL: 'warn',
    });
    const log = logOf(bellhop);
    const { partnerId } = await bellhop.newKey('production');
    const limit = (fsize: string) =>
      execFileSync('prlimit', ['--pid', String(bellhop.child.pid), `--fsize=${fsize}:`]);
    limit('1');
    for (const write of writes(bellhop, partnerId)) expectRefusal(await write(), 'storage_failing');
    expect(await readiness(bellhop)).toMatchObject(notReady('storage_failing'));
    limit('unlimited');
    await untilReady(bellhop);
    expect(await changePartners(bellhop)).toMatchObject({ status: 201 });
    await bellhop.stop();
    expect(log().map(({ reason, msg }) => reason ?? msg)).toEqual([
      'SQLITE_IOERR',
      'The database can be written to again.',
    ]);
  },
);

/** The back office in this process, whose database a test can limit as a disk would. */
async function limitedBackOffice() {
  const lines: { reason?: string; msg: string }[] = [];
  const log = createLogger('warn', (line) => void lines.push(JSON.parse(line)));
  const config = readConfig(await settingsForTest({ ...ALONE, ...BACK_OFFICE_ONLY }));
  const metrics = new Metrics();
  const closing = new AsyncDisposableStack();
  onTestFinished(() => closeAll(closing));
  const opened = await openEnvironment(
    { name: 'production', config, masterKey: randomBytes(32), clock: systemClock, log },
    closing,
  );
  const production = await withLimiter(opened, metrics, closing);
  const environments = new Map([['production' as const, production]]);
  const tokenStore = await openBackOfficeStore({ config, environments, clock: systemClock, log });
  closing.defer(() => tokenStore.close());
  await ensureFirstToken(tokenStore, ADMIN_TOKEN);
  const partnerSide = partnerSideOf({ environments, refusedKeys: new Map(), metrics });
  const services = await openServices(
    { config, environments, tokenStore, partnerSide, trouble: () => undefined, log, metrics },
    closing,
  );
  const addresses = await services.start(closing.use(new Drains()));
  const bellhop = withHelpers(addresses as unknown as Addresses, () => closeAll(closing));
  const pragma = async (text: string) => {
    await sql.raw(`pragma ${text}`).execute(production.store.db);
    await sql.raw(`pragma ${text}`).execute(tokenStore.db);
  };
  return { bellhop, pragma, lines };
}

test.each([
  ['storage_full', 'SQLITE_FULL', 'max_page_count = 1', 'max_page_count = 1000000'],
  ['storage_read_only', 'SQLITE_READONLY', 'query_only = on', 'query_only = off'],
] as const)('every write is refused with %s (%s)', async (code, reason, limit, unlimit) => {
  const { bellhop, pragma, lines } = await limitedBackOffice();
  const { body } = await changePartners(bellhop);
  const { headers } = await bellhop.support('POST', '/console/session', { token: ADMIN_TOKEN });
  const cookie = headers.get('set-cookie')?.split(';')[0] as string;
  await pragma(limit);
  for (const write of writes(bellhop, body.id)) expectRefusal(await untilRefused(write), code);
  expect(await readiness(bellhop)).toMatchObject(notReady(code));
  const read = await fetch(bellhop.addresses.backOffice + PARTNERS, { headers: { cookie } });
  expect(read.status).toBe(200);
  await pragma(unlimit);
  expect(await readiness(bellhop)).toMatchObject({ status: 200, body: { troubles: [] } });
  for (const write of writes(bellhop, body.id)) expect((await write()).status).toBeLessThan(300);
  expect(lines.map((line) => line.reason ?? line.msg)).toEqual([
    reason,
    'The database can be written to again.',
  ]);
});

describeWithPostgres('on PostgreSQL', (freshDatabase) => {
  test('a server that became read-only is reported in the same way, until it accepts writes', async () => {
    const url = await freshDatabase();
    const bellhop = await startBellhop({
      ...ALONE,
      ...BACK_OFFICE_ONLY,
      BELLHOP_PRODUCTION_DATABASE_URL: url,
      BELLHOP_MASTER_KEY: randomBytes(32).toString('base64'),
    });
    const { partnerId } = await bellhop.newKey('production');
    await setReadOnly(url, true);
    for (const write of writes(bellhop, partnerId)) {
      const reply = await eventually(write, ({ status }) => status === 503);
      expectRefusal(reply, 'storage_read_only');
    }
    expect(await readiness(bellhop)).toMatchObject(notReady('storage_read_only'));
    expect(await bellhop.support('GET', PARTNERS)).toMatchObject({ status: 200 });
    await setReadOnly(url, false);
    await untilReady(bellhop);
    expect(
      await eventually(
        () => changePartners(bellhop),
        ({ status }) => status < 300,
      ),
    ).toBeTruthy();
  });
});

/** Like a failover to a standby: connections end, and new ones can only read. */
async function setReadOnly(url: string, readOnly: boolean): Promise<void> {
  const database = new URL(url).pathname.slice(1);
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new pg.Client({ connectionString: admin.href });
  await client.connect();
  try {
    await client.query(
      `alter database ${database} set default_transaction_read_only = ${readOnly ? 'on' : 'off'}`,
    );
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1',
      [database],
    );
  } finally {
    await client.end();
  }
}
