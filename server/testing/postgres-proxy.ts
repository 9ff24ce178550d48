/** A link to PostgreSQL that can be made to fail, for the length of a test. */
import { onTestFinished } from 'vitest';
import { openLink, type TcpLink } from '../../kit/tcp-link.ts';

export interface PostgresProxy extends TcpLink {
  /** The database's address, by way of the proxy. */
  url: string;
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const { hostname: host, port } = new URL(databaseUrl);
  const link = await openLink({ host, port: Number(port) });
  onTestFinished(() => link.close());
  return Object.assign(link, { url: link.through(databaseUrl) });
}
