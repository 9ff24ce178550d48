import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { commandPool } from '../direct/postgres.ts';
import { rewriteSealed } from './rewrite-sealed.ts';

describeWithPostgres('a table with sealed values', (_empty, databaseWithTables) => {
  test.each([
    [
      'a transaction that sees earlier rows',
      'begin isolation level repeatable read; select 1 from bellhop.api_key',
      /^A transaction \(process \d+, a dump\) can still see the earlier values; wait for its end/,
    ],
    [
      'a lock, as that of a dump',
      'begin; lock table bellhop.midoffice in access share mode',
      /^Another session, such as a dump, uses midoffice all the time; wait for its end/,
    ],
  ])('is not rewritten beside %s', async (_name, statements, sentence) => {
    const url = await databaseWithTables();
    const pool = commandPool(
      url,
      createLogger('silent', () => {}),
    );
    onTestFinished(() => pool.close());
    const other = new pg.Client({ connectionString: url, application_name: 'a dump' });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(statements);
    await expect(rewriteSealed(pool, 0)).rejects.toThrow(sentence);
    const rewritten = rewriteSealed(pool);
    await other.query('rollback');
    await rewritten;
  });
});
