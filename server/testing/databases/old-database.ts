/** The databases in this folder; each test gets its own copy. README.md says what is in them. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import pg from 'pg';
import { describe, onTestFinished } from 'vitest';
import { describeWithPostgres, temporaryFolder } from '../../../test/support.ts';
import { createLogger } from '../../src/logging/logger.ts';
import { migratePostgres } from '../../src/store/postgres/migrating.ts';
import { Vault } from '../../src/vault.ts';
import { migrateFile } from './migrate-file.ts';

/** The vault that the databases were created with. */
export const vault = new Vault(Buffer.from('a key for databases of the tests'), 'production');
export const RETRY_SCHEDULE = '1m,10m,1h';

// biome-ignore lint/suspicious/noExplicitAny: tests read tables of old and new schemas.
export type Row = Record<string, any>;

export interface OldDatabase {
  engine: 'sqlite' | 'postgres';
  /** The folder of the embedded database, or the URL. */
  where: string;
  facts: Facts;
  /** Runs a statement directly, bypassing Bellhop's code. */
  query(sql: string): Promise<Row[]>;
  migrate(): Promise<void>;
}

/** What make.js recorded about a database. */
export interface Facts {
  /** The time of the last change in it. */
  now: number;
  last_seq: number;
  /** Deliveries by state. */
  counts: Record<string, number>;
  /** Ids by name. */
  partners: Record<string, string>;
  keys: Record<string, string>;
  midoffices: Record<string, string>;
}

export function describeWithOldDatabase(
  name: string,
  body: (fresh: () => Promise<OldDatabase>, engine: OldDatabase['engine']) => void,
): void {
  describe(`${name}, embedded`, () => body(oldSqlite, 'sqlite'));
  describeWithPostgres(`${name}, on PostgreSQL`, (freshDatabase) =>
    body(async () => oldPostgres(await freshDatabase()), 'postgres'),
  );
}

export async function oldSqlite(): Promise<OldDatabase> {
  const folder = await temporaryFolder();
  const file = join(folder, 'bellhop.db');
  await writeFile(file, gunzipSync(await fixture('sqlite.db.gz')));
  return {
    engine: 'sqlite',
    where: folder,
    facts: JSON.parse((await fixture('sqlite.json')).toString()),
    async query(sql) {
      const connection = new DatabaseSync(file);
      try {
        return connection.prepare(sql).all() as Row[];
      } finally {
        connection.close();
      }
    },
    migrate: () => migrateFile(file),
  };
}

async function oldPostgres(url: string): Promise<OldDatabase> {
  const client = new pg.Client({ connectionString: url, types: { getTypeParser } });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query((await fixture('postgres.sql')).toString());
  await client.query('set search_path to bellhop');
  return {
    engine: 'postgres',
    where: url,
    facts: JSON.parse((await fixture('postgres.json')).toString()),
    query: async (sql) => (await client.query(sql)).rows,
    migrate: () =>
      migratePostgres(
        url,
        createLogger('silent', () => {}),
      ),
  };
}

function fixture(name: string): Promise<Buffer> {
  return readFile(new URL(name, import.meta.url));
}

/** 64-bit numbers as numbers, as in SQLite. */
const getTypeParser = ((oid: number, format?: 'text') =>
  oid === pg.types.builtins.INT8
    ? Number
    : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser;
