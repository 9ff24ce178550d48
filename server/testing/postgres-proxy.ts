/** A link to PostgreSQL that can be made to fail, for the length of a test. */
import { onTestFinished } from 'vitest';
import { openPostgresLink, type PostgresLink } from '../../test/postgres-link.ts';

export interface PostgresProxy extends PostgresLink {
  /** The database's address through the proxy. */
  url: string;
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const { hostname: host, port } = new URL(databaseUrl);
  const link = await openPostgresLink({ host, port: Number(port) });
  onTestFinished(() => link.close());
  return Object.assign(link, { url: link.through(databaseUrl) });
}
