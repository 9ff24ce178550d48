/** Whether a second node on the same PostgreSQL helps, or at least does not get in the way. */
import type { Bench, Session } from '../bench.ts';
import { type Delivering, drained } from '../delivery-sides.ts';
import { createMidoffices } from '../midoffices.ts';
import { startNodeOn, untilShared } from '../nodes.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { sideBySide } from '../side-by-side.ts';

const EVENTS = 10_000;
/** So many that each of the two nodes gets about half of them. */
const MIDOFFICES = 40;
const IN_FLIGHT_EACH = 4;

export const deliveryTwoNodes: Bench = {
  name: 'delivery-two-nodes',
  async run(session) {
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const url = `${receiver.ready}/hook`;
    const postgres = await startPostgres(session);
    const two = drained('two nodes', await nodesOn(session, postgres, url, 2), EVENTS);
    const one = drained('one node', await nodesOn(session, postgres, url, 1), EVENTS);
    session.progress('warming up');
    for (const side of [two, one]) await side.measure();
    return [
      await sideBySide(
        session,
        {
          title: 'delivery, PostgreSQL: two nodes on one database',
          unit: 'webhooks/s',
          bar: { atLeast: 1.2 },
        },
        two,
        one,
      ),
    ];
  },
};

async function nodesOn(
  session: Session,
  postgres: Postgres,
  url: string,
  count: number,
): Promise<Delivering> {
  const database = await postgres.newDatabase();
  const first = await startNodeOn(session, database);
  const nodes: Delivering['nodes'] = [first];
  while (nodes.length < count) nodes.push(await startNodeOn(session, database));
  const urls = Array.from({ length: MIDOFFICES }, () => url);
  const midoffices = await createMidoffices(first, urls, IN_FLIGHT_EACH);
  session.progress('waiting until the nodes share the shards');
  await untilShared(first, count);
  return { nodes, midoffices };
}
