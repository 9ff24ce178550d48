/** Bellhop behind a real PgBouncer, which docs/operating/poolers.md describes. */
import { readFileSync } from 'node:fs';
import { describe, expect, inject, test } from 'vitest';
import { carriesPreparedStatements } from '../../test/provide/pgbouncer.ts';
import { describeWithPostgres, startPooler } from '../../test/support.ts';
import { startBellhop } from '../testing/bellhop.ts';
import { LOOPBACK_RECEIVERS, newMasterKey } from '../testing/settings.ts';
import { expectEverything } from './everything.ts';
import { refusedStart } from './refused-start.ts';

const program = inject('pgbouncerProgram');
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

    test('in session mode, nothing else is needed', async () => {
      const pooler = await startPooler(await freshDatabase(), {
        settings: ['pool_mode = session'],
      });
      await expectEverything(await startBellhop(settingsFor(pooler.url)));
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
