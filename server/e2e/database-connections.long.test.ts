/** How many connections a node has to PostgreSQL, and that the fewest are enough for everything. */
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../test/support.ts';
import { FEWEST_CONNECTIONS } from '../src/base/config/database-connections.ts';
import { loadServicesThread } from '../src/main/threads/start-services-thread.ts';
import { startBellhop, type TestBellhop } from '../testing/bellhop.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { expectEverything } from './everything.ts';

const PAGES = ['partners', 'keys', 'midoffices', 'deliveries', 'audit'];

describeWithPostgres('connections to PostgreSQL', (freshDatabase) => {
  async function startOnBoth(settings: Record<string, string> = {}) {
    const urls = [await freshDatabase(), await freshDatabase()];
    const [production = '', sandbox = ''] = urls;
    const given = {
      BELLHOP_MASTER_KEY: newMasterKey(),
      ...LOOPBACK_RECEIVERS,
      BELLHOP_PRODUCTION_DATABASE_URL: production,
      BELLHOP_SANDBOX_DATABASE_URL: sandbox,
      ...settings,
    };
    const bellhop = await startBellhop(given, loadServicesThread);
    return { bellhop, most: await countConnections(urls) };
  }

  /** Stops counting and returns the most that were open at once. */
  async function countConnections(urls: readonly string[]): Promise<() => Promise<number>> {
    const names = urls.map((url) => new URL(url).pathname.slice(1));
    const client = new pg.Client({ connectionString: urls[0], application_name: 'the test' });
    await client.connect();
    let most = 0;
    let isCounting = true;
    async function count(): Promise<void> {
      while (isCounting) {
        const { rows } = await client.query(
          `select count(*)::int as open from pg_stat_activity
            where datname = any($1) and application_name like 'bellhop%'`,
          [names],
        );
        most = Math.max(most, rows[0].open);
      }
    }
    const counting = count();
    onTestFinished(async () => {
      isCounting = false;
      await counting;
      await client.end();
    });
    return async () => {
      isCounting = false;
      await counting;
      return most;
    };
  }

  /** Everything there is, and many pages and downloads beside it. */
  async function useIt(bellhop: TestBellhop): Promise<void> {
    const pages = PAGES.flatMap((page) =>
      Array.from({ length: 10 }, () => bellhop.support('GET', `/support/v1/sandbox/${page}`)),
    );
    await expectEverything(bellhop);
    const statuses = (await Promise.all(pages)).map(({ status }) => status);
    expect(new Set(statuses)).toEqual(new Set([200]));
  }

  test('a node with both environments has at most 20', async () => {
    const { bellhop, most } = await startOnBoth();
    await useIt(bellhop);
    expect(await most()).toBeLessThanOrEqual(20);
  });

  test('the fewest are enough for all roles', async () => {
    const fewest = String(FEWEST_CONNECTIONS);
    const { bellhop, most } = await startOnBoth({
      BELLHOP_PRODUCTION_DATABASE_CONNECTIONS: fewest,
      BELLHOP_SANDBOX_DATABASE_CONNECTIONS: fewest,
    });
    await useIt(bellhop);
    expect(await most()).toBeLessThanOrEqual(2 * FEWEST_CONNECTIONS);
  });
});
