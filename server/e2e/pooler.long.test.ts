/** Bellhop behind a real PgBouncer, which docs/operating/poolers.md describes. */
import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { carriesPreparedStatements } from '../../kit/pgbouncer.ts';
import { query } from '../../kit/postgres.ts';
import { describeWithPostgres, startPooler } from '../../test/support.ts';
import { createLogger } from '../src/base/logging/logger.ts';
import { checkAddresses } from '../src/store/postgres/pooler.ts';
import type { DatabaseUrls } from '../src/store/postgres/pools.ts';
import { startBellhop } from '../testing/bellhop.ts';
import { HOSTILE, setInDatabase } from '../testing/database-settings.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { expectEverything } from './everything.ts';
import { refusedStart } from './refused-start.ts';

const program = inject('pgbouncerProgram');
/** As the page tells operators. */
const PAGE = readFileSync(new URL('../../docs/operating/poolers.md', import.meta.url), 'utf8');
const CONNECT_QUERY = /connect_query='[^']+'/.exec(PAGE)?.[0] ?? '';
const PREPARED = /^max_prepared_statements = \d+$/m.exec(PAGE)?.[0] ?? '';

const SESSION_MODE = { database: CONNECT_QUERY, settings: ['pool_mode = session'] };

describe.skipIf(program === null)('behind PgBouncer', () => {
  describeWithPostgres('', (freshDatabase) => {
    const settingsFor = (url: string, directUrl?: string) => ({
      BELLHOP_ENVIRONMENTS: 'sandbox',
      BELLHOP_MASTER_KEY: newMasterKey(),
      ...LOOPBACK_RECEIVERS,
      BELLHOP_SANDBOX_DATABASE_URL: url,
      ...(directUrl && { BELLHOP_SANDBOX_DATABASE_DIRECT_URL: directUrl }),
    });

    test('in session mode, nothing else is needed', async () => {
      const pooler = await startPooler(await freshDatabase(), SESSION_MODE);
      await expectEverything(await startBellhop(settingsFor(pooler.url)));
    });

    test('in session mode, PostgreSQL itself may be named as well', async () => {
      const database = await freshDatabase();
      const pooler = await startPooler(database, SESSION_MODE);
      // As if a client had been there before: PgBouncer has reset its session, which had begun with connect_query.
      await query(pooler.url, 'select 1');
      await expectEverything(await startBellhop(settingsFor(pooler.url, database)));
    });

    test('both addresses may be the same', async () => {
      const database = await freshDatabase();
      await expectEverything(await startBellhop(settingsFor(database, database)));
    });

    test.skipIf(program && !carriesPreparedStatements(program))(
      'in transaction mode, with PostgreSQL itself for sessions',
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

    const TRANSACTION_MODE = [
      'pool_mode = transaction',
      ...(program && carriesPreparedStatements(program) ? ['max_prepared_statements = 0'] : []),
    ];

    test.for([
      ['that needs the other address', {}, /DATABASE_DIRECT_URL/, false],
      [
        'without the schema',
        {},
        /right search_path: .* connect_query='set search_path to bellhop'/,
        true,
      ],
      ['that loses statements', { database: CONNECT_QUERY }, /1\.21/, true],
    ] as const)('in transaction mode, one %s is refused', async ([, more, reason, isDirect]) => {
      const database = await freshDatabase();
      const pooler = await startPooler(database, { ...more, settings: TRANSACTION_MODE });
      const sentence = await refusedStart(
        settingsFor(pooler.url, isDirect ? database : undefined),
        'setting',
      );
      expect(sentence).toMatch(/^BELLHOP_SANDBOX_DATABASE_URL leads to a pooler /);
      expect(sentence).toMatch(reason);
    });

    describe('the start is refused', () => {
      const sentenceOn = (urls: DatabaseUrls): Promise<string> => {
        const log = createLogger('silent', () => {});
        return checkAddresses(urls, { environment: 'sandbox', log }).then(
          () => 'not refused',
          ({ message }) => message,
        );
      };
      const refused = (urls: DatabaseUrls) => expect(sentenceOn(urls)).resolves;

      test('if PostgreSQL itself is a pooler in transaction mode', async () => {
        const database = await freshDatabase();
        const { url } = await startPooler(database, { settings: TRANSACTION_MODE });
        await refused({ url, directUrl: url }).toBe(
          'BELLHOP_SANDBOX_DATABASE_URL leads to a pooler in transaction mode: BELLHOP_SANDBOX_DATABASE_DIRECT_URL must lead to PostgreSQL itself; see docs/operating/poolers.md.',
        );
        await refused({ url: database, directUrl: url }).toBe(
          'BELLHOP_SANDBOX_DATABASE_DIRECT_URL leads to a pooler in transaction mode, but must lead to PostgreSQL itself; see docs/operating/poolers.md.',
        );
      });

      test('if the addresses lead to different databases', async () => {
        const [url, directUrl] = [await freshDatabase(), await freshDatabase()];
        await refused({ url, directUrl }).toBe(
          'BELLHOP_SANDBOX_DATABASE_URL and BELLHOP_SANDBOX_DATABASE_DIRECT_URL lead to different databases: both must lead to the same one.',
        );
      });

      test('if the pooler has no transactions', async () => {
        const directUrl = await freshDatabase();
        const { url } = await startPooler(directUrl, { settings: ['pool_mode = statement'] });
        await refused({ url, directUrl }).toMatch(/^\S+ leads to a pooler in statement mode/);
      });

      test('if PostgreSQL itself does not answer, with its own setting', async () => {
        const directUrl = 'postgres://127.0.0.1:1/none';
        await refused({ url: await freshDatabase(), directUrl }).toMatch(
          /^BELLHOP_SANDBOX_DATABASE_DIRECT_URL: the database cannot be opened \(.*ECONNREFUSED/,
        );
      });

      test.for([
        ['the sessions of a pooler lose data', ''],
        ['those of one that takes turns do', 'server_round_robin = 1'],
      ] as const)('if %s, with advice that helps', async ([, turns]) => {
        const directUrl = await freshDatabase();
        await setInDatabase(directUrl, HOSTILE);
        const settings = [...TRANSACTION_MODE, turns];
        const wrong = await startPooler(directUrl, { database: CONNECT_QUERY, settings });
        const sentence = await sentenceOn({ url: wrong.url, directUrl });
        expect(sentence).toMatch(/ with the right synchronous_commit, extra_float_digits, /);
        const database = /connect_query='[^']+'/.exec(sentence)?.[0] as string;
        const { url } = await startPooler(directUrl, { database, settings });
        await refused({ url, directUrl }).toMatch(/loses prepared statements/);
      });
    });
  });
});
