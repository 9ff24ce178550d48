/** Bellhop behind a real PgBouncer, which docs/operating/poolers.md describes. */
import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { carriesPreparedStatements } from '../../test/provide/pgbouncer.ts';
import { describeWithPostgres, startPooler } from '../../test/support.ts';
import { type SupportReply, startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { eventually } from '../testing/eventually.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { startReceiver } from '../testing/webhook-receiver.ts';
import { refusedStart } from './refused-start.ts';
import { call } from './wire.ts';

const program = inject('pgbouncerProgram');
const SLOW = { timeout: 120_000 };
/** As the page tells operators. */
const PAGE = readFileSync(new URL('../../docs/operating/poolers.md', import.meta.url), 'utf8');
const CONNECT_QUERY = /connect_query='[^']+'/.exec(PAGE)?.[0] ?? '';
const PREPARED = /^max_prepared_statements = \d+$/m.exec(PAGE)?.[0] ?? '';

describe.skipIf(program === null)('behind PgBouncer', () => {
  describeWithPostgres('', (freshDatabase) => {
    const settingsFor = (url: string, directUrl?: string) => ({
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_MASTER_KEY: newMasterKey(),
      ...LOOPBACK_RECEIVERS,
      BELLHOP_SANDBOX_DATABASE_URL: url,
      ...(directUrl && { BELLHOP_SANDBOX_DATABASE_DIRECT_URL: directUrl }),
    });

    test('in session mode, nothing else is needed', SLOW, async () => {
      const pooler = await startPooler(await freshDatabase(), {
        settings: ['pool_mode = session'],
      });
      await expectEverything(await startBellhop(settingsFor(pooler.url)));
    });

    test.skipIf(program && !carriesPreparedStatements(program))(
      'in transaction mode, with PostgreSQL itself for sessions',
      SLOW,
      async () => {
        const database = await freshDatabase();
        const pooler = await startPooler(database, {
          database: CONNECT_QUERY,
          settings: ['pool_mode = transaction', PREPARED],
        });
        const bellhop = await startBellhop(settingsFor(pooler.url, database));
        await expectEverything(bellhop);
      },
    );

    test.for([
      ['that needs the other address', {}, /DATABASE_DIRECT_URL/, false],
      ['without the schema', {}, /connect_query='set search_path to bellhop'/, true],
      ['that loses statements', { database: CONNECT_QUERY }, /1\.21/, true],
    ] as const)('in transaction mode, one %s is refused', async ([, more, reason, isDirect]) => {
      const database = await freshDatabase();
      const pooler = await startPooler(database, {
        ...more,
        settings: [
          'pool_mode = transaction',
          ...(carriesPreparedStatements(program as string) ? ['max_prepared_statements = 0'] : []),
        ],
      });
      const sentence = await refusedStart(
        settingsFor(pooler.url, isDirect ? database : undefined),
        'setting',
      );
      expect(sentence).toMatch(/^BELLHOP_SANDBOX_DATABASE_URL leads to a pooler /);
      expect(sentence).toMatch(reason);
    });
  });
});

/** A key signs in and is changed; an event is accepted and delivered; many at once. */
async function expectEverything(bellhop: TestBellhop): Promise<void> {
  const keys = await Promise.all(Array.from({ length: 5 }, () => bellhop.newKey('sandbox')));
  const calls = keys.flatMap((key) => Array.from({ length: 20 }, () => key));
  const replies = await Promise.all(calls.map((key) => call(bellhop.addresses.sandbox, key)));
  expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  const [key] = keys;
  if (!key) throw new Error('no key');
  const receiver = await startReceiver();
  const midoffice = await bellhop.support('POST', '/support/v1/sandbox/midoffices', {
    name: 'Test midoffice',
    url: receiver.url,
    signing_key_id: key.keyId,
  });
  const sent: Promise<SupportReply>[] = Array.from({ length: 40 }, (_, n) =>
    bellhop.support('POST', '/orders/v1/sandbox/events', {
      event_id: `event ${n}`,
      type: 'created',
      partner_id: key.partnerId,
      partner_order_id: `order ${n}`,
      midoffice_id: midoffice.body.id,
    }),
  );
  expect(new Set((await Promise.all(sent)).map(({ status }) => status))).toEqual(new Set([202]));
  await receiver.came(40);
  await bellhop.support('DELETE', `/support/v1/sandbox/keys/${key.keyId}`);
  await eventually(
    () => call(bellhop.addresses.sandbox, key),
    ({ status }) => status === 401,
  );
}
