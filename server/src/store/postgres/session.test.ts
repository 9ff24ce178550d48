/** What operators set for a role, a database or a server changes neither what we read nor what is durable. */
import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { HOSTILE, setInDatabase } from '../../../testing/database-settings.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Liveness } from './liveness.ts';
import { BoundedPool } from './pool.ts';
import { REQUIRED_NAMES } from './session.ts';

test('docs/operating/poolers.md lists what a pooler must give us', () => {
  const page = readFileSync(
    new URL('../../../../docs/operating/poolers.md', import.meta.url),
    'utf8',
  );
  const table = /\| setting \| value \|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(page)?.[1] ?? '';
  const listed = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  expect(listed).toEqual(REQUIRED_NAMES);
});

describeWithPostgres('a session', (emptyDatabase) => {
  function openPool(url: string): BoundedPool {
    const pool = new BoundedPool({
      ...{ url, name: 'bellhop test', connections: 1 },
      ...{ waitMs: 5_000, connectMs: 5_000, answerMs: 5_000, statementMs: 5_000 },
      ...{ liveness: new Liveness(), log: createLogger('silent', () => {}) },
    });
    onTestFinished(() => pool.close());
    return pool;
  }

  async function settingsOf(pool: BoundedPool, names: string[]): Promise<Record<string, string>> {
    const { rows } = await pool.query<{ name: string; value: string }>(
      'select name, current_setting(name) as value from unnest($1::text[]) as name',
      [names],
    );
    return Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  }

  test('has our settings, whatever those of its database are', async () => {
    const url = await emptyDatabase();
    await setInDatabase(url, HOSTILE);
    expect(await settingsOf(openPool(url), Object.keys(HOSTILE))).toEqual({
      search_path: 'bellhop',
      synchronous_commit: 'on',
      extra_float_digits: '1',
      default_transaction_isolation: 'read committed',
      default_transaction_deferrable: 'off',
      array_nulls: 'on',
      transform_null_equals: 'off',
      standard_conforming_strings: 'on',
      client_encoding: 'UTF8',
      DateStyle: 'ISO, DMY',
      IntervalStyle: 'postgres',
      TimeZone: 'UTC',
      bytea_output: 'hex',
      lock_timeout: '0',
    });
  });

  test.each(['local', 'remote_write', 'remote_apply'])(
    'leaves synchronous_commit at %s, which waits for the disk',
    async (value) => {
      const url = await emptyDatabase();
      await setInDatabase(url, { synchronous_commit: value });
      const names = ['synchronous_commit'];
      expect(await settingsOf(openPool(url), names)).toEqual({ synchronous_commit: value });
    },
  );
});
