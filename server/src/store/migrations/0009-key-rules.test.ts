import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { describeWithOldDatabase, oldSqlite } from '../../../testing/databases/old-database.ts';

const HP = 'api/b2b/v3/search/hp/';
const INFO = 'api/b2b/v3/hotel/info/';

const withdrawal = (id: string, at: number, keyId: string, endpoint: string, requests: number) => {
  const before = JSON.stringify({ endpoint, requests_number: requests });
  return `insert into audit (id, at, actor, action, subject, before)
          values ('${id}', ${at}, 'test', 'key.withdraw', '${keyId}', '${before}')`;
};

describeWithOldDatabase('migration 0009', (freshOld) => {
  test('keeps the keys as they are, an overlap included', async () => {
    const old = await freshOld();
    const keys = 'select * from api_key order by key_id';
    const before = await old.query(keys);
    expect(before.some((row) => row.previous_until !== null)).toBe(true);
    await old.migrate();
    expect(await old.query(keys)).toEqual(before.map((row) => ({ ...row, earlier_keys: null })));
  });

  test('learns from the audit what each key last had', async () => {
    const old = await freshOld();
    const { any, failing } = old.facts.keys;
    for (const one of [
      withdrawal('aud_1', 1_000, any as string, HP, 30),
      withdrawal('aud_3', 3_000, any as string, HP, 5),
      withdrawal('aud_2', 2_000, any as string, HP, 20),
      withdrawal('aud_4', 1_000, any as string, INFO, 7),
      withdrawal('aud_5', 1_000, failing as string, HP, 9),
      withdrawal('aud_6', 1_000, 'a key of another database', HP, 9),
    ]) {
      await old.query(one);
    }
    await old.migrate();
    const rows = await old.query('select * from withdrawn_grant order by key_id, endpoint');
    const found = rows.map(({ key_id, endpoint, last }) => [
      key_id,
      endpoint,
      JSON.parse(last).requests_number,
    ]);
    expect(found.sort()).toEqual(
      [
        [any, HP, 5],
        [any, INFO, 7],
        [failing, HP, 9],
      ].sort(),
    );
  });
});

test('a migration that was cut short starts again', async () => {
  const old = await oldSqlite();
  const program = fileURLToPath(
    new URL('../../../testing/databases/migrate-file.ts', import.meta.url),
  );
  for (const statement of [
    'insert into withdrawn_grant',
    'commit',
    'insert into kysely_migration',
  ]) {
    const args = [program, join(old.where, 'bellhop.db'), statement];
    expect(spawnSync(process.execPath, args).signal).toBe('SIGKILL');
  }
  await old.migrate();
  expect(await old.query('select * from withdrawn_grant')).toEqual([]);
  await old.migrate();
});
