/** What a start makes of a database of an earlier release, of a later one, and of none. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Kysely } from 'kysely';
import pg from 'pg';
import { describe, expect, onTestFinished, test } from 'vitest';
import { databaseFolder, describeWithPostgres, temporaryFolder } from '../../../../test/support.ts';
import { describeOnEachBackOffice } from '../../../testing/back-office-store.ts';
import { migrateFile, nextRelease } from '../../../testing/next-release.ts';
import { ConfigError } from '../../base/config/config.ts';
import { createLogger } from '../../base/logging/logger.ts';
import { SHARDS } from '../../delivery/queue.ts';
import { refuseOtherRelease } from '../direct/database.ts';
import { migratePostgres } from '../postgres/migrating.ts';
import { environmentTables, type TableSet } from '../table-sets.ts';

type Row = Record<string, unknown>;

interface TestDatabase {
  /** Runs a statement directly, bypassing Bellhop's code. */
  query(sql: string): Promise<Row[]>;
  /** By default to the next release. */
  migrate(tables?: TableSet): Promise<void>;
}

function at(file: string): TestDatabase {
  return {
    async query(sql) {
      const connection = new DatabaseSync(file);
      try {
        return connection.prepare(sql).all();
      } finally {
        connection.close();
      }
    },
    migrate: (tables) => migrateFile(file, tables),
  };
}

async function on(url: string): Promise<TestDatabase> {
  const client = await session(url);
  const log = createLogger('silent', () => {});
  return {
    query: async (sql) => (await client.query(sql)).rows,
    migrate: (tables = nextRelease) =>
      migratePostgres({ url, environment: 'production', log }, tables),
  };
}

/** Ends with the test. */
async function session(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('set search_path to bellhop');
  return client;
}

const TABLES = {
  sqlite: `select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'`,
  postgres: `select tablename as name from pg_tables where schemaname = 'bellhop'`,
};
const SHAPE = {
  sqlite: 'select type, name, sql from sqlite_schema order by name',
  postgres: `select table_name, column_name, data_type from information_schema.columns
              where table_schema = 'bellhop' order by table_name, ordinal_position`,
};

/** Every row of every table, and their columns; without the times at which migrations ran. */
async function everything(
  { query }: TestDatabase,
  engine: keyof typeof TABLES,
): Promise<Record<string, Row[]>> {
  const found: Record<string, Row[]> = { shape: await query(SHAPE[engine]) };
  for (const { name } of await query(TABLES[engine])) {
    const columns = name === 'kysely_migration' ? 'name' : '*';
    found[String(name)] = await query(`select ${columns} from ${name} order by 1`);
  }
  return found;
}

const EVENTS = `insert into delivery (event_id, type, partner_id, partner_order_id, accepted_at)
  values ('first', 'created', 'par_1', 'a', 1), ('second', 'updated', 'par_2', 'b', 2)`;

/** A few rows in tables that the next release changes, reads and leaves alone. */
async function filled(database: TestDatabase): Promise<TestDatabase> {
  await database.query(`insert into partner (id, name, integration_started_on, is_new, suspended, created_at)
    values ('par_1', 'One', '2026-01-01', 1, 0, 1), ('par_2', 'Two', '2026-01-01', 1, 0, 2)`);
  await database.query(EVENTS);
  await database.query(`insert into pending (seq, shard, midoffice_id, retries_used, attempts_made)
    values (1, 7, 'mid_1', 2, 3)`);
  return database;
}

function namesOf({ migrations }: TableSet): Row[] {
  return Object.keys(migrations).map((name) => ({ name }));
}

function migrating(engine: keyof typeof TABLES, fresh: () => Promise<TestDatabase>): void {
  test('a new database has every shard, and no rows otherwise', async () => {
    const { shape, kysely_migration, kysely_migration_lock, shard, ...rest } = await everything(
      await fresh(),
      engine,
    );
    expect(kysely_migration).toEqual(namesOf(environmentTables));
    expect(shard?.map(({ n }) => n)).toEqual(Array.from({ length: SHARDS }, (_, n) => n));
    expect(Object.values(rest).flat()).toEqual([]);
  });

  test('an upgrade changes what its migration says, and nothing else', async () => {
    const database = await filled(await fresh());
    const { shape: _, note, partner = [], ...before } = await everything(database, engine);
    await database.migrate();
    const { shape, next, ...after } = await everything(database, engine);
    expect(note).toEqual([]);
    expect(after).toEqual({
      ...before,
      partner: partner.map((row) => ({ ...row, next: row.name })),
      kysely_migration: namesOf(nextRelease),
    });
    expect(next?.map(({ event_id }) => event_id)).toEqual(['first', 'second']);

    await database.migrate();
    expect(await everything(database, engine)).toEqual({ shape, next, ...after });
  });

  test('the number of a deleted delivery is never used again', async () => {
    const { query } = await filled(await fresh());
    await query('delete from delivery');
    await query(EVENTS);
    const rows = await query('select seq from delivery order by seq');
    expect(rows.map(({ seq }) => Number(seq))).toEqual([3, 4]);
  });
}

describe('migrations, embedded', () => {
  const program = fileURLToPath(new URL('../../../testing/next-release.ts', import.meta.url));
  const fresh = async () => at(join(await databaseFolder(), 'bellhop.db'));
  migrating('sqlite', fresh);

  test.for([
    'insert into next',
    'drop table note',
    'create index partner_next',
    'insert into kysely_migration',
    'commit',
  ])('a process that is killed before "%s" leaves the database unchanged', async (statement) => {
    const file = join(await databaseFolder(), 'bellhop.db');
    const database = await filled(at(file));
    const before = await everything(database, 'sqlite');
    expect(spawnSync(process.execPath, [program, file, statement]).signal).toBe('SIGKILL');
    expect(await everything(database, 'sqlite')).toEqual(before);

    const undisturbed = await filled(await fresh());
    await undisturbed.migrate();
    await database.migrate();
    expect(await everything(database, 'sqlite')).toEqual(await everything(undisturbed, 'sqlite'));
  });

  test('a first start that is killed leaves no tables, and the next one creates all', async () => {
    const file = join(await temporaryFolder(), 'bellhop.db');
    for (const statement of ['create table pending', 'commit']) {
      expect(spawnSync(process.execPath, [program, file, statement]).signal).toBe('SIGKILL');
      const tables = await at(file).query(TABLES.sqlite);
      expect(tables.map(({ name }) => name)).toEqual(['kysely_migration', 'kysely_migration_lock']);
    }
    await at(file).migrate(environmentTables);
    expect(await everything(at(file), 'sqlite')).toEqual(await everything(await fresh(), 'sqlite'));
  });
});

describeWithPostgres('migrations, on PostgreSQL', (_empty, databaseWithTables) => {
  migrating('postgres', async () => on(await databaseWithTables()));

  test('a session that PostgreSQL ends halfway leaves the database unchanged', async () => {
    const url = await databaseWithTables();
    const database = await filled(await on(url));
    const before = await everything(database, 'postgres');
    const other = await session(url);
    // The migration has created and filled a table when it comes to this one.
    await other.query('begin; lock table note');
    const failed = expect(database.migrate()).rejects.toThrow('terminating connection');
    await database.query(`select pg_terminate_backend(${await waiting(database)})`);
    await failed;
    await other.query('rollback');
    expect(await everything(database, 'postgres')).toEqual(before);
    await database.migrate();
    expect(await database.query('select seq from next')).toHaveLength(2);
  });

  test('of nodes that start at the same time, one migrates and the others wait', async () => {
    const database = await filled(await on(await databaseWithTables()));
    await Promise.all([database.migrate(), database.migrate(), database.migrate()]);
    expect(await database.query('select seq from next')).toHaveLength(2);
  });
});

/** Resolves to the migration's process in PostgreSQL once it waits for another session's lock. */
async function waiting({ query }: TestDatabase): Promise<unknown> {
  for (;;) {
    const [row] = await query(`select pid from pg_stat_activity
      where application_name = 'bellhop migrations' and wait_event_type = 'Lock'
        and datname = current_database()`);
    if (row) return row.pid;
    await nextTurn();
  }
}

describeOnEachBackOffice('a start', (freshPlace) => {
  const NEWER =
    /^The database( in \S*production| \S+back-office\.db| of BELLHOP_PRODUCTION_DATABASE_URL) was used by a newer Bellhop \(its migration 9999-later is not known here\), and this one would damage it; start the newer release, or restore the backup that was made before the upgrade \(docs\/operating\/upgrading\.md\)\.$/;
  const UNRELEASED =
    /^The database( in \S*production| \S+back-office\.db| of BELLHOP_PRODUCTION_DATABASE_URL) was made by a version of Bellhop from before its first release, which this one cannot read; export what you need with that version \("bellhop export"\), move the database away, and import into the new one that the next start creates\.$/;

  /** Changes what the environment's or the back office's tables say about their migrations. */
  async function withHistory(
    whose: 'home' | 'store',
    change: (db: Kysely<{ kysely_migration: { name: string; timestamp: string } }>) => unknown,
  ) {
    const place = await freshPlace();
    const opened = await place.open();
    await change(opened[whose].db as never);
    await opened.close();
    return place;
  }

  test.for(['home', 'store'] as const)('is refused on the %s of a newer release', async (whose) => {
    const { open } = await withHistory(whose, (db) =>
      db
        .insertInto('kysely_migration')
        .values({ name: '9999-later', timestamp: '2030-01-01' })
        .execute(),
    );
    const opened = open();
    await expect(opened).rejects.toBeInstanceOf(ConfigError);
    await expect(opened).rejects.toThrow(NEWER);
  });

  test.for(['home', 'store'] as const)(
    'is refused on the %s of a version from before the first release',
    async (whose) => {
      const { open } = await withHistory(whose, async (db) => {
        await db
          .updateTable('kysely_migration')
          .set({ name: '0001-partner-api' })
          .where('name', 'like', '0001-%')
          .execute();
        if (whose === 'store') return;
        const asked = refuseOtherRelease(db as never, 'The database in production');
        await expect(asked).rejects.toThrow(UNRELEASED);
      });
      const opened = open();
      await expect(opened).rejects.toBeInstanceOf(ConfigError);
      await expect(opened).rejects.toThrow(UNRELEASED);
    },
  );
});
