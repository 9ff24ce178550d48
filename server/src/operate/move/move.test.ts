import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../../../test/support.ts';
import { systemClock } from '../../base/clock.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Vault } from '../../base/sealing/vault.ts';
import { readMarks, writeMarks } from '../../store/move-marks.ts';
import { ONE_BEGINS, showMasterKeys } from '../../store/postgres/master-keys-in-use.ts';
import { openPostgresStore } from '../../store/postgres/open.ts';
import { copyAll, handOver } from './move.ts';
import { openPostgresEnd } from './postgres.ts';
import { createSqliteTarget } from './sqlite.ts';

const log = createLogger('silent', () => {});

describeWithPostgres('a move from PostgreSQL', (_empty, databaseWithTables) => {
  function openNode(url: string, onGone?: (error: Error) => void) {
    const vault = new Vault(randomBytes(32), 'production');
    const node = { url, environment: 'production', vault, clock: systemClock, log } as const;
    return openPostgresStore({ ...node, ...(onGone && { onGone }) });
  }

  /** A move of which everything is copied, and another session on its source. */
  async function copied() {
    const url = await databaseWithTables();
    await (await openNode(url)).close();
    const source = await openPostgresEnd(url, log);
    onTestFinished(() => source.close());
    const target = await createSqliteTarget(await temporaryFolder(), 'production', source.name);
    onTestFinished(() => target.close());
    const parts = { source, target, nowMs: Date.now(), onProgress() {} };
    await copyAll(parts, 'this move');
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    return { source, parts, other };
  }

  test('is refused if a node shows itself only after the copying began', async () => {
    const { source, parts, other } = await copied();
    await other.query(showMasterKeys(['0badcafe']));
    await expect(handOver(parts, 'this move')).rejects.toThrow(/^A Bellhop is running on /);
    expect(await readMarks(source.db)).toEqual({});
    await other.query('select pg_advisory_unlock_all()');
    await handOver(parts, 'this move');
    expect(await readMarks(source.db)).toMatchObject({ moved: { id: 'this move' } });
  });

  test('is refused if nodes could have started, because the lock was lost', async () => {
    const { source, parts, other } = await copied();
    await other.query(
      `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and objid = (${ONE_BEGINS}::bigint & 4294967295)::oid
          and database = (select oid from pg_database where datname = current_database())`,
    );
    await other.query(`select pg_advisory_lock(${ONE_BEGINS})`);
    await expect(handOver(parts, 'this move')).rejects.toThrow(
      /keeps nodes from starting was lost/,
    );
    expect(await readMarks(source.db)).toEqual({});
  });

  test('stops a node that it did not see', async () => {
    const told = Promise.withResolvers<Error>();
    const node = await openNode(await databaseWithTables(), told.resolve);
    onTestFinished(() => node.close());
    await writeMarks(node.db, { moved: { id: 'a move', to: 'elsewhere', at: 'now' } });
    expect((await told.promise).message).toMatch(/was moved by "bellhop move" while this process/);
  });
});
