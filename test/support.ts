/**
 * What tests import to get at real servers, folders and ports. Everything got here is given back
 * when the test file ends, after the file's own `afterAll` hooks.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import { isCi } from './provide/parts.ts';
import { postgres, startPostgresServer } from './provide/postgres.ts';
import { redis, startRedisServer } from './provide/redis.ts';
import type { ThrowAwayServer } from './provide/throw-away-server.ts';

export { freePort } from './provide/free-port.ts';

/** Module state, yet safe: vitest loads this module anew for every test file. */
const givingBack: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  const outcomes = await Promise.allSettled(givingBack.map((giveBack) => giveBack()));
  const failure = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failure) throw failure.reason;
});

/** `freshDatabase` creates an empty database and resolves to its URL. */
export function describeWithPostgres(
  name: string,
  body: (freshDatabase: () => Promise<string>) => void,
): void {
  const url = inject('postgresUrl');
  describe.skipIf(url === null)(name, () => body(() => freshDatabase(url ?? '')));
}

/** The Redis is shared by all test files: use keys with a prefix of your own. */
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

/** A PostgreSQL of the test's own; rejects where none is installed. Takes a second or two. */
export async function startPostgres(): Promise<ThrowAwayServer> {
  return owned(await startPostgresServer());
}

/** A Redis of the test's own, which keeps nothing across `restart`; rejects where none is installed. */
export async function startRedis(): Promise<ThrowAwayServer> {
  return owned(await startRedisServer());
}

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'bellhop-test-'));
  givingBack.push(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

function owned(server: ThrowAwayServer): ThrowAwayServer {
  givingBack.push(() => server.end());
  return server;
}

async function freshDatabase(serverUrl: string): Promise<string> {
  const name = `bellhop_test_${randomBytes(8).toString('hex')}`;
  await runSql(serverUrl, `create database ${name} template template0`);
  // By force, since a test that failed may have left connections open.
  givingBack.push(() => runSql(serverUrl, `drop database if exists ${name} with (force)`));
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
