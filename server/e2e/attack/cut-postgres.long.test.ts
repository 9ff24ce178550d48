/** Every connection to PostgreSQL ends while requests are under way: those that fail get 503, and nobody 500. */
import { expect, test } from 'vitest';
import { describeWithPostgres } from '../../../test/support.ts';
import { startBellhop } from '../../testing/bellhop.ts';
import { eventually } from '../../testing/eventually.ts';
import { startPostgresProxy } from '../../testing/postgres-proxy.ts';
import { newMasterKey } from '../../testing/settings.ts';
import { OVERVIEW_PATH } from '../wire.ts';

const ROUNDS = 12;
const AT_ONCE = 6;

describeWithPostgres('a PostgreSQL whose connections end', (_empty, databaseWithTables) => {
  test('while it is asked is answered with 503 and Retry-After by everyone who asked it', async () => {
    const database = await databaseWithTables();
    const proxy = await startPostgresProxy(database);
    const bellhop = await startBellhop({
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_SANDBOX_DATABASE_URL: proxy.url,
      BELLHOP_SANDBOX_SERVE_WITHOUT_DATABASE: '0s',
      BELLHOP_MASTER_KEY: newMasterKey(),
    });
    const { partnerId } = await bellhop.newKey('sandbox');
    const keys = [];
    for (let n = 0; n < ROUNDS; n++) keys.push(await bellhop.newKey('sandbox'));
    const statuses = new Map<string, Set<number>>();
    const note = (what: string, { status, headers }: { status: number; headers: Headers }) => {
      if (!statuses.has(what)) statuses.set(what, new Set());
      statuses.get(what)?.add(status);
      if (status === 503) expect(Number(headers.get('retry-after')), what).toBeGreaterThan(0);
    };
    for (const [round, { authorization }] of keys.entries()) {
      const asked = Array.from({ length: AT_ONCE }, async (_, n) => {
        const event = {
          event_id: `${round}-${n}`,
          type: 'created',
          partner_id: partnerId,
          partner_order_id: `${n}`,
        };
        await Promise.all([
          bellhop
            .support('POST', '/orders/v1/sandbox/events', event)
            .then((reply) => note('events', reply)),
          bellhop
            .support('GET', `/support/v1/sandbox/keys?limit=${n + 1}`)
            .then((reply) => note('support', reply)),
          fetch(bellhop.addresses.sandbox + OVERVIEW_PATH, { headers: { authorization } }).then(
            (reply) => note('overview', reply),
          ),
        ]);
      });
      // Sooner or later in what they ask.
      for (let turns = 0; turns < round; turns++) await new Promise(setImmediate);
      proxy.retarget(Number(new URL(database).port));
      await Promise.all(asked);
      await eventually(
        () => bellhop.support('GET', '/support/v1/sandbox/keys'),
        ({ status }) => status === 200,
      );
    }
    for (const [what, some] of statuses) {
      expect([200, 202, 503], what).toEqual(expect.arrayContaining([...some]));
    }
    expect([...statuses.values()].some((some) => some.has(503))).toBe(true);
  });
});
