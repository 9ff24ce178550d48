/**
 * Real servers, folders and ports for tests. Everything is given back when the test file ends, after the
 * file's own `afterAll` hooks.
 */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, inject, onTestFinished } from 'vitest';
import { listen } from '../kit/listen.ts';
import { startPgbouncer } from '../kit/pgbouncer.ts';
import {
  databaseUrl,
  postgres,
  query,
  startPostgresReplica,
  startPostgresServer,
} from '../kit/postgres.ts';
import { redis, startRedisServer } from '../kit/redis.ts';
import type { ThrowAwayServer } from '../kit/throw-away-server.ts';
import { givingBack } from './giving-back.ts';
import { isCi } from './provide/parts.ts';

export { freePort } from '../kit/free-port.ts';

/** Lets a server listen on a free port for the length of a test. */
export async function listening(server: Server): Promise<{ port: number; url: string }> {
  const { close, ...at } = await listen(server);
  onTestFinished(() => void close());
  return at;
}

/** Creates a database and resolves to its URL. */
export type NewPostgresDatabase = () => Promise<string>;

/** `databaseWithTables` has all migrations of a new Bellhop, and opens faster. */
export function describeWithPostgres(
  name: string,
  body: (emptyDatabase: NewPostgresDatabase, databaseWithTables: NewPostgresDatabase) => void,
): void {
  const url = inject('postgresUrl');
  const template = inject('postgresTemplate') ?? '';
  describe.skipIf(url === null)(name, () =>
    body(
      () => newDatabase(url ?? '', 'template0'),
      () => newDatabase(url ?? '', template),
    ),
  );
}

/** All test files share this Redis: use keys with a prefix of your own. */
export function describeWithRedis(name: string, body: (redisUrl: string) => void): void {
  const url = inject('redisUrl');
  describe.skipIf(url === null)(name, () => body(url ?? ''));
}

/** For tests that stop, kill or restart a PostgreSQL: see `startPostgres`. */
export function describeWithOwnPostgres(
  name: string,
  body: (start: typeof startPostgres) => void,
): void {
  const skip = inject('postgresUrl') === null || (!postgres.isInstalled() && !isCi());
  describe.skipIf(skip)(name, () => body(startPostgres));
}

/** For tests that stop, kill or restart a Redis: see `startRedis`. */
export function describeWithOwnRedis(name: string, body: (start: typeof startRedis) => void): void {
  const skip = inject('redisUrl') === null || (!redis.isInstalled() && !isCi());
  describe.skipIf(skip)(name, () => body(startRedis));
}

/** A PostgreSQL for one test; rejects if none is installed. Takes a second or two. */
export async function startPostgres(): Promise<ThrowAwayServer> {
  return owned(await startPostgresServer());
}

/** A streaming replica for one test, of the server that this link or address leads to. */
export async function startReplica(primary: { port: number }): Promise<ThrowAwayServer> {
  return owned(await startPostgresReplica(primary, 'replica'));
}

/** A PgBouncer for one test, in front of this database. */
export async function startPooler(
  databaseUrl: string,
  settings: Parameters<typeof startPgbouncer>[2],
): Promise<ThrowAwayServer> {
  return owned(await startPgbouncer(inject('pgbouncerProgram') as string, databaseUrl, settings));
}

/** A Redis for one test, which keeps nothing across `restart`; rejects if none is installed. */
export async function startRedis(): Promise<ThrowAwayServer> {
  return owned(await startRedisServer());
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-test-'));
  givingBack.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** The folder of an embedded database that has all migrations of a new Bellhop, and opens faster. */
export async function databaseFolder(): Promise<string> {
  const folder = await temporaryFolder();
  await copyFile(join(inject('sqliteTemplate'), 'bellhop.db'), join(folder, 'bellhop.db'));
  return folder;
}

/** A data folder with a master key and such databases for everything that a process may serve. */
export async function dataFolder(): Promise<string> {
  const folder = await temporaryFolder();
  const copyTo = (name: string, ...path: string[]) =>
    copyFile(join(inject('sqliteTemplate'), name), join(folder, ...path));
  for (const environment of ['production', 'sandbox']) {
    await mkdir(join(folder, environment), { mode: 0o700 });
    await copyTo('bellhop.db', environment, 'bellhop.db');
  }
  await copyTo('back-office.db', 'back-office.db');
  await copyTo('back-office.db', 'back-office.sandbox.db');
  const key = randomBytes(32).toString('base64');
  await writeFile(join(folder, 'master.key'), `${key}\n`, { mode: 0o600 });
  return folder;
}

function owned(server: ThrowAwayServer): ThrowAwayServer {
  givingBack.push(() => server.end());
  return server;
}

async function newDatabase(serverUrl: string, template: string): Promise<string> {
  const name = `bellhop_test_${randomBytes(8).toString('hex')}`;
  await query(serverUrl, `create database ${name} template ${template}`);
  // By force, because a test that failed may have left connections open.
  givingBack.push(() => query(serverUrl, `drop database if exists ${name} with (force)`));
  return databaseUrl(serverUrl, name);
}
