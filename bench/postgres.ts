/** PostgreSQL for a bench: a server of its own, with a database for each Bellhop. */
import pg from 'pg';
import { startPostgresServer } from '../test/provide/postgres.ts';
import type { Session } from './bench.ts';

export interface Database {
  url: string;
  /** The settings of a Bellhop whose sandbox uses it. */
  env: Record<string, string>;
}

export interface Postgres {
  readonly pid: number | null;
  newDatabase(): Promise<Database>;
}

/** `settings` are PostgreSQL's, such as `shared_buffers=1GB`. */
export async function startPostgres(
  session: Session,
  settings: readonly string[] = [],
): Promise<Postgres> {
  session.progress('starting PostgreSQL');
  const server = await startPostgresServer(settings);
  session.undo(() => server.end());
  let databases = 0;
  return {
    pid: server.pid,
    async newDatabase() {
      const name = `bench_${++databases}`;
      await withClient(server.url, (client) => client.query(`create database ${name}`));
      const url = new URL(server.url);
      url.pathname = `/${name}`;
      const masterKey = Buffer.alloc(32, 7).toString('base64');
      return {
        url: url.href,
        env: { BELLHOP_SANDBOX_DATABASE_URL: url.href, BELLHOP_MASTER_KEY: masterKey },
      };
    },
  };
}

export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}
