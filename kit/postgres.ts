import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { folderWith, pathFolders } from './find.ts';
import type { Command } from './keeper.ts';
import type { Part } from './part.ts';
import type { TcpLink } from './tcp-link.ts';
import { startThrowAway, type ThrowAwayServer } from './throw-away-server.ts';

/**
 * For the server that tests share, which no test crashes. It saves a wait for the disk in every commit, and
 * 0.2 s for every database that is dropped. The log of what is written stays small, because it may be in memory. And
 * nobody looks into each of a hundred databases, which last for seconds, for something to clean up.
 */
const FOR_SHARING = [
  ...['fsync=off', 'full_page_writes=off', 'max_wal_size=256MB'],
  'autovacuum_naptime=1h',
];

export const postgres: Part = {
  name: 'PostgreSQL',
  setting: 'BELLHOP_TEST_POSTGRES_URL',
  aptPackage: 'postgresql',
  howToGet:
    'Install it (apt-get install postgresql, brew install postgresql), or set BELLHOP_TEST_POSTGRES_URL to a server on which the tests may create databases.',
  isInstalled: () => findPostgres() !== null,
  async start() {
    const server = await startPostgresServer(FOR_SHARING);
    return { value: server.url, end: server.end };
  },
};

/** The folder of PostgreSQL's programs. Debian keeps them off the PATH, in a folder per version. */
export function findPostgres(folders = programFolders()): string | null {
  return folderWith(['initdb', 'postgres'], folders);
}

function programFolders(): string[] {
  return [...pathFolders(), ...debianFolders('/usr/lib/postgresql')];
}

/** Newest version first. */
export function debianFolders(root: string): string[] {
  try {
    return readdirSync(root)
      .sort((a, b) => Number.parseFloat(b) - Number.parseFloat(a))
      .map((version) => join(root, version, 'bin'));
  } catch {
    return [];
  }
}

export interface PostgresOptions {
  /** Where its folder is created; by default among the temporary files. */
  parentFolder?: string;
}

/** `settings` are PostgreSQL's, such as `fsync=off`; they override ours. */
export async function startPostgresServer(
  settings: readonly string[] = [],
  options: PostgresOptions = {},
): Promise<ThrowAwayServer> {
  return startPrepared(settings, options, (data) => ({
    program: 'initdb',
    args: [
      ...['--pgdata', data, '--username=postgres', '--auth=trust'],
      ...['--encoding=UTF8', '--locale=C'],
      // Only for the new, empty files; saves a second.
      '--no-sync',
    ],
  }));
}

/**
 * A streaming replica of that server. It calls itself `name`, so that the primary can name it in
 * `synchronous_standby_names`.
 */
export async function startPostgresReplica(
  primary: Pick<ThrowAwayServer, 'port'>,
  name: string,
  settings: readonly string[] = [],
): Promise<ThrowAwayServer> {
  const address = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${name}`;
  return startPrepared(settings, {}, (data) => ({
    program: 'pg_basebackup',
    args: ['--pgdata', data, '--dbname', address, '--write-recovery-conf', '--checkpoint=fast'],
  }));
}

/** `fill` is the program of PostgreSQL's that fills the data folder before the first start. */
async function startPrepared(
  settings: readonly string[],
  { parentFolder }: PostgresOptions,
  fill: (data: string) => Command,
): Promise<ThrowAwayServer> {
  const programs = findPostgres();
  if (!programs) throw new Error(`PostgreSQL is not installed. ${postgres.howToGet}`);
  return startThrowAway({
    name: 'PostgreSQL',
    accounts: ['postgres'],
    ...(parentFolder !== undefined && { parentFolder }),
    prepare({ folder }) {
      const { program, args } = fill(dataFolder(folder));
      // Only the server and initdb are known to be in the same folder.
      const found = folderWith([program], [programs, ...programFolders()]) ?? programs;
      return { program: join(found, program), args };
    },
    serve: ({ folder, port }) => ({
      program: join(programs, 'postgres'),
      args: [
        ...['-D', dataFolder(folder)],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', `port=${port}`],
        ...['-c', `unix_socket_directories=${folder}`],
        ...['-c', 'max_connections=200', '-c', 'shared_buffers=32MB'],
        ...settings.flatMap((setting) => ['-c', setting]),
      ],
    }),
    url: ({ port }) => `postgres://postgres@127.0.0.1:${port}/postgres`,
    answers,
    // "Fast": does not wait for clients to disconnect.
    stopSignal: 'SIGINT',
    // "Immediate": no final checkpoint, because the data is about to be removed.
    endSignal: 'SIGQUIT',
  });
}

function dataFolder(folder: string): string {
  return join(folder, 'data');
}

async function answers(url: string): Promise<void> {
  await query(url, 'select 1');
}

/** Resolves to the rows. */
// biome-ignore lint/suspicious/noExplicitAny: each caller knows the rows of its statement.
export async function query(url: string, sql: string, values: unknown[] = []): Promise<any[]> {
  return withClient(url, async (client) => (await client.query(sql, values)).rows);
}

export async function withClient<T>(
  url: string,
  use: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 30_000 });
  // The server may end meanwhile; then the statement fails.
  client.on('error', () => {});
  try {
    await client.connect();
    return await use(client);
  } finally {
    await client.end();
  }
}

/** Another database of the same server. */
export function databaseUrl(serverUrl: string, name: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** The replica has all that was confirmed until now. */
export async function untilCaughtUp(
  primary: ThrowAwayServer,
  replica: ThrowAwayServer,
): Promise<void> {
  const [{ lsn }] = await query(primary.url, 'select pg_current_wal_flush_lsn()::text as lsn');
  const isThere = `select pg_last_wal_replay_lsn() >= '${lsn}' as is_there`;
  while (!(await query(replica.url, isThere))[0].is_there) await sleep(20);
}

/** The primary dies, and the replica takes its place at the end of these links. */
export async function failOver(
  primary: ThrowAwayServer,
  replica: ThrowAwayServer,
  links: readonly TcpLink[],
): Promise<void> {
  await primary.kill();
  await query(replica.url, 'select pg_promote()');
  for (const link of links) link.retarget(replica.port);
}
