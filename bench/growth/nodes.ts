/** What a delivery costs with several nodes on one PostgreSQL: in all nodes together, and in PostgreSQL. */
import { median, type Session } from '../bench.ts';
import { cpuMicrosOf, cpuMicrosOfPostgres } from '../cpu-time.ts';
import { createMidoffices, deliveredCount, postEvents, untilDelivered } from '../midoffices.ts';
import { startNodeOn, untilShared } from '../nodes.ts';
import { startPostgres } from '../postgres.ts';
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
  }
  async function used() {
    const each = await Promise.all(nodes.map(({ process }) => cpuMicrosOf(process.pid)));
    return {
      own: each.reduce((sum, micros) => sum + micros, 0),
      postgres: await cpuMicrosOfPostgres(postgres),
    };
  }
  return [
    { name: 'accept and deliver, all nodes', unit: 'µs of CPU', value: median(own) },
    { name: 'accept and deliver, in PostgreSQL', unit: 'µs of CPU', value: median(theirs) },
  ];
}
