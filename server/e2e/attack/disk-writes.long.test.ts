/** Every kind of write is refused alike by a disk that is full or read-only, and by a read-only PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { query } from '../../../kit/postgres.ts';
import { describeWithPostgres } from '../../../test/support.ts';
import { systemClock } from '../../src/base/clock.ts';
import { readConfig } from '../../src/base/config/config.ts';
import { closeAll, Drains } from '../../src/base/disposal.ts';
import { createLogger } from '../../src/base/logging/logger.ts';
import { Metrics } from '../../src/base/metrics.ts';
import { openEnvironment, withLimiter } from '../../src/main/environment.ts';
import { openServices } from '../../src/main/services.ts';
import { mainSideOf } from '../../src/main/threads/main-side.ts';
import { ensureFirstToken } from '../../src/resources/tokens/first-token.ts';
import { openBackOfficeStore } from '../../src/store/open.ts';
import { ADMIN_TOKEN, helpersOf, settingsForTest, startBellhop } from '../../testing/bellhop.ts';
import { setInDatabase } from '../../testing/database-settings.ts';
import { BACK_OFFICE_ONLY } from '../../testing/engines.ts';
import { eventually } from '../../testing/eventually.ts';
import { newMasterKey } from '../../testing/settings.ts';
import {
  changePartners,
  expectRefusal,
  notReady,
  PARTNERS,
  readiness,
  untilReady,
  untilRefused,
  writes,
} from '../storage-refusals.ts';

// These tests start whole processes, which is slow on a busy machine.
/** Only the parts under test, so that it starts quickly. */
const ALONE = { BELLHOP_ENVIRONMENTS: 'production' };

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
  const production = await withLimiter(opened, { admits: true, metrics }, closing);
  const environments = new Map([['production' as const, production]]);
  const backOfficeStore = await openBackOfficeStore({
    config,
    environments,
    clock: systemClock,
    log,
  });
  closing.defer(() => backOfficeStore.close());
  await ensureFirstToken(backOfficeStore, ADMIN_TOKEN);
  const partnerSide = mainSideOf({
    environments,
    keySignIns: new Map(),
    metrics,
    log: { take() {} },
    isStopping: () => false,
  });
  const { addresses } = await openServices(
    {
      config,
      environments,
      backOfficeStore,
      partnerApiAddresses: {},
      partnerSide,
      trouble: () => undefined,
      log,
      metrics,
    },
    closing,
    new Drains(),
  );
  const bellhop = helpersOf({ addresses, stop: () => closeAll(closing) });
  const pragma = async (text: string) => {
    await sql.raw(`pragma ${text}`).execute(production.store.db);
    await sql.raw(`pragma ${text}`).execute(backOfficeStore.db);
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
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    const { partnerId } = await bellhop.newKey('production');
    await makeReadOnly(url);
    for (const write of writes(bellhop, partnerId)) {
      // Connections end first, which is another reason for a 503.
      const reply = await eventually(write, ({ body }) => body.code === 'storage_read_only');
      expectRefusal(reply, 'storage_read_only');
    }
    expect(await readiness(bellhop)).toMatchObject(notReady('storage_read_only'));
    expect(await bellhop.support('GET', PARTNERS)).toMatchObject({ status: 200 });
    // Nobody ends the connections that can only read.
    await setInDatabase(url, { default_transaction_read_only: 'default' });
    await untilReady(bellhop);
    for (const write of writes(bellhop, partnerId)) {
      await eventually(write, ({ status }) => status < 300);
    }
  });
});

/** Like a failover to a standby: connections end, and new ones can only read. */
async function makeReadOnly(url: string): Promise<void> {
  await setInDatabase(url, { default_transaction_read_only: 'on' });
  const database = new URL(url).pathname.slice(1);
  await query(
    url,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = '${database}' and pid <> pg_backend_pid()`,
  );
}
