/** What a delivery costs with several nodes on one PostgreSQL: in all nodes together, and in PostgreSQL. */

import { query } from '../../kit/postgres.ts';
import { median, type Session } from '../bench.ts';
import { cpuMicrosOf, cpuMicrosOfPostgres } from '../cpu-time.ts';
import { createMidoffices, deliveredCount, postEvents, untilDelivered } from '../midoffices.ts';
import { startNodeOn, untilShared } from '../nodes.ts';
import { type Database, startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import type { Cost } from './costs.ts';

const EVENTS = 20_000;
const ROUNDS = 3;
const MIDOFFICES = 64;

export async function measureNodes(session: Session, count: number): Promise<Cost[]> {
  const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
  const postgres = await startPostgres(session);
  const database = await postgres.newDatabase();
  const first = await startNodeOn(session, database);
  const nodes = [first];
  while (nodes.length < count) nodes.push(await startNodeOn(session, database));
  const urls = Array.from({ length: MIDOFFICES }, () => `${receiver.ready}/hook`);
  const midoffices = await createMidoffices(first, urls, 8);
  await untilShared(first, count);
  const own: number[] = [];
  const theirs: number[] = [];
  const written: number[] = [];
  const stored: number[] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    session.progress(`round ${round}`);
    const before = await used();
    const delivered = await deliveredCount(nodes);
    // Each node accepts its share, as behind a load balancer.
    await Promise.all(
      nodes.map((node) => postEvents(node, midoffices, midoffices.ids, EVENTS / count)),
    );
    await untilDelivered(nodes, delivered + EVENTS);
    const after = await used();
    if (round === 0) continue;
    own.push((after.own - before.own) / EVENTS);
    theirs.push((after.postgres - before.postgres) / EVENTS);
    written.push((after.walBytes - before.walBytes) / EVENTS);
    stored.push((after.databaseBytes - before.databaseBytes) / EVENTS);
  }
  async function used() {
    const each = await Promise.all(nodes.map(({ process }) => cpuMicrosOf(process.pid)));
    return {
      own: each.reduce((sum, micros) => sum + micros, 0),
      postgres: await cpuMicrosOfPostgres(postgres),
      ...(await bytes(database)),
    };
  }
  return [
    { name: 'accept and deliver, all nodes', unit: 'µs of CPU', value: median(own) },
    { name: 'accept and deliver, in PostgreSQL', unit: 'µs of CPU', value: median(theirs) },
    { name: 'write-ahead log of a delivery', unit: 'bytes', value: median(written) },
    { name: 'a delivery and its attempt in the database', unit: 'bytes', value: median(stored) },
  ];
}

async function bytes({ url }: Database): Promise<{ walBytes: number; databaseBytes: number }> {
  const [{ wal, database }] = await query(
    url,
    `select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal,
            pg_database_size(current_database()) as database`,
  );
  return { walBytes: Number(wal), databaseBytes: Number(database) };
}
