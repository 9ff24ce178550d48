/**
 * A PostgreSQL with a replica that can be made to lag, and links to it that follow a failover. What was confirmed while
 * it lagged is lost when it is promoted, as with any asynchronous replication.
 */
import pg from 'pg';
import { onTestFinished } from 'vitest';
import { startPostgres, startReplica } from '../../test/support.ts';
import { openLink, type TcpLink } from '../../test/tcp-link.ts';
import { eventually } from './eventually.ts';

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

  async function query(sql: string, values: unknown[] = [], url = current.url) {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => {});
    await client.connect();
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end();
    }
  }

  return {
    query,
    async link() {
      const link = await openLink({ host: '127.0.0.1', port: current.port });
      onTestFinished(() => link.close());
      links.push(link);
      return { url: link.through(current.url), link };
    },
    async lag() {
      const [end] = await query('select pg_current_wal_flush_lsn()::text as lsn');
      await eventually(
        () =>
          query(`select pg_last_wal_replay_lsn() >= '${end?.lsn}' as is_there`, [], replica.url),
        ([row]) => row?.is_there === true,
      );
      replication.swallow();
    },
    async promote() {
      await primary.kill();
      await query('select pg_promote()', [], replica.url);
      current = replica;
      for (const link of links) link.retarget(replica.port);
    },
  };
}
