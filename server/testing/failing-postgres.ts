/**
 * A PostgreSQL with a replica that can be made to lag, and links to it that follow a failover. What was confirmed while
 * it lagged is lost when it is promoted, as with any asynchronous replication.
 */
import { onTestFinished } from 'vitest';
import { failOver, query, untilCaughtUp } from '../../kit/postgres.ts';
import { openLink, type TcpLink } from '../../kit/tcp-link.ts';
import { startPostgres, startReplica } from '../../test/support.ts';

export interface FailingPostgres {
  /** A link for one node, which leads to the primary, whichever that is. */
  link(): Promise<{ url: string; link: TcpLink }>;
  /** From now on, nothing reaches the replica. */
  lag(): Promise<void>;
  /** The primary dies, and the replica takes its place. */
  promote(): Promise<void>;
  /** On the primary. */
  query(sql: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
}

export async function startFailingPostgres(): Promise<FailingPostgres> {
  const primary = await startPostgres();
  const replication = await openLink({ host: '127.0.0.1', port: primary.port });
  onTestFinished(() => replication.close());
  const replica = await startReplica(replication);
  const links: TcpLink[] = [];
  let current = primary;

  return {
    query: (sql, values) => query(current.url, sql, values),
    async link() {
      const link = await openLink({ host: '127.0.0.1', port: current.port });
      onTestFinished(() => link.close());
      links.push(link);
      return { url: link.through(current.url), link };
    },
    async lag() {
      await untilCaughtUp(primary, replica);
      replication.swallow();
    },
    async promote() {
      await failOver(primary, replica, links);
      current = replica;
    },
  };
}
