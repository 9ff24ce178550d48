/**
 * Databases of tests that have ended, emptied for the next ones. PostgreSQL takes a checkpoint and hundreds of files to
 * create or drop a database: both took 830 ms on a busy machine, and emptying one 4 ms.
 */
import { onTestFinished, TestRunner } from 'vitest';
import { query } from '../../kit/postgres.ts';
import type { NewPostgresDatabase } from '../../test/support.ts';
import { SHARDS } from '../src/delivery/queue.ts';

/** For tests that change rows and no tables. What a hook asks for is kept until the file ends. */
export function reusing(create: NewPostgresDatabase): NewPostgresDatabase {
  const free: string[] = [];
  return async () => {
    const url = free.pop() ?? (await create());
    // After all that the test opens on it, because the last to be registered is the first to run.
    if (TestRunner.getCurrentTest()) {
      onTestFinished(async () => {
        await query(url, EMPTY);
        free.push(url);
      });
    }
    return url;
  };
}

/** As migrations leave it. */
const EMPTY = `
  do $$
  declare one regclass;
  begin
    -- The newest first, because only newer tables refer to older ones.
    for one in select oid from pg_class where relnamespace = 'bellhop'::regnamespace and relkind = 'r'
      and relname <> 'kysely_migration' order by oid desc loop
      execute 'delete from ' || one;
    end loop;
    perform setval(oid::regclass, 1, false)
      from pg_class where relnamespace = 'bellhop'::regnamespace and relkind = 'S';
  end $$;
  insert into bellhop.shard (n, epoch, until, in_flight)
    select n, 0, 0, 0 from generate_series(0, ${SHARDS - 1}) as n`;
