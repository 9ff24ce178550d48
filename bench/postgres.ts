/** PostgreSQL for a bench: a server of its own, with a database for each Bellhop. */
import { databaseUrl, query, startPostgresServer } from '../kit/postgres.ts';
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
      await query(server.url, `create database ${name}`);
      const url = databaseUrl(server.url, name);
      const masterKey = Buffer.alloc(32, 7).toString('base64');
      return {
        url,
        env: { BELLHOP_SANDBOX_DATABASE_URL: url, BELLHOP_MASTER_KEY: masterKey },
      };
    },
  };
}
