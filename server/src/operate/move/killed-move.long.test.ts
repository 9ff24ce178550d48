/**
 * A move to a data folder that is killed. Its folder is copied before every step on the file system, which is what
 * `kill -9` at that moment leaves.
 */
import { randomBytes } from 'node:crypto';
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../../../test/support.ts';
import { startBellhop } from '../../../testing/bellhop.ts';
import { BACK_OFFICE_ONLY } from '../../../testing/engines.ts';
import { systemClock } from '../../base/clock.ts';
import { readConfig } from '../../base/config/config.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { Vault } from '../../base/sealing/vault.ts';
import { readMarks, writeMarks } from '../../store/move-marks.ts';
import { openPostgresStore } from '../../store/postgres/open.ts';
import { obtainMasterKeys } from '../master-key.ts';
import { createPostgresTarget, openPostgresEnd } from './postgres.ts';
import { type MoveRequest, runMove, runUndo } from './run-move.ts';
import { openSqliteEnd } from './sqlite.ts';

// These tests open many databases, which is slow on a busy machine.
const log = createLogger('silent', () => {});
const environment = 'production';
const masterKey = randomBytes(32);
const vault = new Vault(masterKey, environment);
const STEPS = ['mkdirSync', 'renameSync', 'rmSync', 'rmdirSync', 'writeFileSync'] as const;

function settingsFor(dataDir: string): Record<string, string> {
  return {
    ...BACK_OFFICE_ONLY,
    BELLHOP_ENVIRONMENTS: environment,
    BELLHOP_DATA_DIR: dataDir,
    BELLHOP_MASTER_KEY: masterKey.toString('base64'),
  };
}

/** Without the logs of the databases. */
function namesIn(folder: string): string {
  const names = fs.readdirSync(folder, { recursive: true }).map(String).sort();
  return names.filter((name) => !/-(wal|shm|journal)$/.test(name)).join(' ');
}

function requestOf(from: string, to: string): MoveRequest {
  return { from, to, environment, nowMs: Date.now(), log, onProgress() {} };
}

function move(from: string, to: string) {
  return runMove(requestOf(from, to));
}

/** What a kill before each step of the work would leave: copies of the folder, by the names in it. */
async function collectStates(
  states: Map<string, string>,
  dataDir: string,
  work: () => Promise<unknown>,
): Promise<void> {
  const copies = await temporaryFolder();
  let isLooking = false;
  const look = () => {
    if (isLooking || !fs.existsSync(dataDir)) return;
    isLooking = true;
    const names = namesIn(dataDir);
    // An empty folder is as good as none: the move has not begun.
    if (names && !states.has(names)) {
      const copy = join(copies, String(states.size));
      fs.cpSync(dataDir, copy, { recursive: true });
      states.set(names, copy);
    }
    isLooking = false;
  };
  for (const step of STEPS) {
    const take = fs[step] as (...args: unknown[]) => never;
    vi.spyOn(fs, step).mockImplementation((...args: unknown[]) => {
      look();
      return take(...args);
    });
  }
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
}

describeWithPostgres('a killed move', (emptyDatabase, databaseWithTables) => {
  /** A database that is not empty, and a connection that can take back the mark of a complete move. */
  async function newSource() {
    const url = await databaseWithTables();
    const node = { url, environment, vault, clock: systemClock, log } as const;
    const store = await openPostgresStore(node);
    await store.db.insertInto('grant_set').values({ id: 'set', grants: '[]' }).execute();
    await store.close();
    const unmark = async () => {
      const end = await openPostgresEnd(url, log);
      await writeMarks(end.db, { moved: null });
      await end.close();
    };
    return { url, unmark };
  }

  test('to a data folder is refused at every step, and the same move again is complete', async () => {
    const { url, unmark } = await newSource();
    const dataDir = join(await temporaryFolder(), 'new', 'data');
    const states = new Map<string, string>();
    await collectStates(states, dataDir, () => move(url, dataDir));
    await unmark();
    // A copy in which only the mark of the source is missing: the same move begins with what is there.
    const published = states.get(namesIn(dataDir)) as string;
    const again = join(await temporaryFolder(), 'data');
    fs.cpSync(published, again, { recursive: true });
    await collectStates(states, again, () => move(url, again));

    expect(states.size).toBeGreaterThan(7);
    for (const [names, state] of states) {
      const top = fs.readdirSync(state);
      await expect(startBellhop(settingsFor(state)), names).rejects.toThrow(
        /"bellhop move" has not completed|is the target of a move that has not ended/,
      );
      expect(fs.readdirSync(state)).toEqual(top);
      await unmark();
      expect(await move(url, state), names).toContainEqual({ table: 'grant_set', rows: 1 });
      expect(namesIn(state)).toBe(namesIn(dataDir));
    }
  });

  test('that was killed at its very end is complete, and can be undone', async () => {
    const { url } = await newSource();
    const dataDir = await temporaryFolder();
    await move(url, dataDir);
    expect(await move(url, dataDir)).toBeUndefined();
    // Killed between the marks of the two.
    const target = await openSqliteEnd(dataDir, environment);
    const { unused } = await readMarks(target.db);
    const id = unused?.id as string;
    await writeMarks(target.db, { arriving: { id, state: 'complete' }, unused: null });
    await target.close();
    await expect(startBellhop(settingsFor(dataDir))).rejects.toThrow(/a move that has not ended/);
    await runUndo(requestOf(url, dataDir));
    expect(await move(url, await temporaryFolder())).toContainEqual({
      table: 'grant_set',
      rows: 1,
    });
  });

  test('waits for a node that is just stopping', async () => {
    const { url } = await newSource();
    const store = await openPostgresStore({ url, environment, vault, clock: systemClock, log });
    const moving = move(url, await temporaryFolder());
    // From then on no node starts. Those that run are looked at right after it.
    const isGuarded = sql`
      select 1 from pg_locks where locktype = 'advisory' and objsubid = 1
         and database = (select oid from pg_database where datname = current_database())`;
    await expect.poll(async () => (await isGuarded.execute(store.db)).rows.length).toBe(1);
    await store.close();
    expect(await moving).toContainEqual({ table: 'grant_set', rows: 1 });
  });

  test('that fails leaves no folder, and another environment may start beside it', async () => {
    const { url } = await newSource();
    const parent = await temporaryFolder();
    await expect(move(await emptyDatabase(), join(parent, 'data'))).rejects.toThrow(/no data of/);
    expect(fs.readdirSync(parent)).toEqual([]);
    fs.mkdirSync(join(parent, 'production.moving'));
    expect(() => obtainMasterKeys(readConfig(settingsFor(parent)))).toThrow(/has not completed/);
    const onPostgres = { ...settingsFor(parent), BELLHOP_PRODUCTION_DATABASE_URL: url };
    for (const others of [
      onPostgres,
      { ...settingsFor(parent), BELLHOP_ENVIRONMENTS: 'sandbox' },
    ]) {
      expect(() => obtainMasterKeys(readConfig(others))).not.toThrow();
    }
  });

  test('to PostgreSQL leaves no tables without its mark', async () => {
    const url = await emptyDatabase();
    const target = await createPostgresTarget(url, log, { id: 'this move', from: 'data' });
    await target.close();
    await expect(
      openPostgresStore({ url, environment, vault, clock: systemClock, log }),
    ).rejects.toThrow(/is the target of a move that has not ended/);
    const again = createPostgresTarget(url, log, { id: 'another', from: 'data' });
    await expect(again).rejects.toThrow(/has the remains of a move that was interrupted/);
  });
});
