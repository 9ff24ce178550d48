/** A process that is killed during the migration of the queue loses nothing. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { everything, STATES } from '../../../testing/databases/contents.ts';
import { type OldDatabase, oldSqlite } from '../../../testing/databases/old-database.ts';

describe('a process that is killed during the migration, embedded', () => {
  const statements = [
    'create index pending_due',
    'insert into fact',
    'drop table delivery',
    'alter table fact',
    'create index delivery_unrouted',
    'commit',
  ];

  test.for(statements)('before "%s" leaves the database unchanged', async (statement) => {
    const old = await oldSqlite();
    const before = await everything(old);
    await dieMigrating(old, statement);
    expect(await everything(old)).toEqual(before);
    await expectMigratesAsEver(old);
  });

  test('after the commit leaves it migrated, although Kysely has not recorded it', async () => {
    const old = await oldSqlite();
    await dieMigrating(old, 'insert into kysely_migration');
    expect((await old.query('select * from pending')).length).toBe(old.facts.counts.pending);
    await expectMigratesAsEver(old);
  });

  test('during the migration of 200,000 deliveries loses none of them', {
    timeout: 120_000,
  }, async () => {
    const old = await oldSqlite();
    const file = join(old.where, 'bellhop.db');
    growTo(file, 200_000);
    const before = await old.query(
      'select state, count(*) as count, sum(seq) as sum from delivery group by state order by state',
    );
    const { child, ended } = migrateInChild(old);
    // Written before the commit, which comes with tens of megabytes.
    while (logSize(file) < 4_000_000 && child.exitCode === null) await nextTurn();
    child.kill('SIGKILL');
    expect(await ended).toEqual([null, 'SIGKILL']);
    expect(await old.query("select name from sqlite_master where name = 'pending'")).toEqual([]);
    await old.migrate();
    expect(
      await old.query(`select state, count(*) as count, sum(seq) as sum
        from (select d.seq, ${STATES.slice(STATES.indexOf('case'))}) group by state order by state`),
    ).toEqual(before);
  });
});

function migrateInChild(old: OldDatabase, statement: string[] = []) {
  const program = fileURLToPath(
    new URL('../../../testing/databases/migrate-file.ts', import.meta.url),
  );
  const args = [program, join(old.where, 'bellhop.db'), ...statement];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return { child, ended: once(child, 'exit') };
}

async function dieMigrating(old: OldDatabase, statement: string): Promise<void> {
  const { ended } = migrateInChild(old, [statement]);
  expect(await ended).toEqual([null, 'SIGKILL']);
}

async function expectMigratesAsEver(old: OldDatabase): Promise<void> {
  const undisturbed = await oldSqlite();
  await undisturbed.migrate();
  await old.migrate();
  const [{ kysely_migration: mine, ...rest }, { kysely_migration: its, ...other }] = [
    await everything(old),
    await everything(undisturbed),
  ];
  expect(rest).toEqual(other);
  // When it was done differs.
  expect(mine?.map((row) => row.name)).toEqual(its?.map((row) => row.name));
}

function growTo(file: string, deliveries: number): void {
  const database = new DatabaseSync(file);
  database.exec(`
    pragma synchronous = off;
    pragma cache_size = -200000;
    with recursive s (n) as (select 1 union all select n + 1 from s where n < ${deliveries})
    insert into delivery (event_id, type, partner_id, partner_order_id, midoffice_id, ordered, state,
                          due_at, attempts_made, retries_used, accepted_at, settled_at)
    select hex(randomblob(16)), 'updated', 'par_' || n % 100, 'order-' || n / 3, 'mid_' || n % 100,
           n % 2, case n % 10 when 0 then 'pending' when 1 then 'exhausted' else 'delivered' end,
           case n % 10 when 0 then n end, 1, 0, n, case n % 10 when 0 then null else n end from s`);
  database.close();
}

function logSize(file: string): number {
  return statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
