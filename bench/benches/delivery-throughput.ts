/**
 * How fast accepted events are delivered and recorded, compared with a bare loop that only signs and
 * POSTs. The additional cost of accepting them is a separate line.
 */
import { startBellhop } from '../bellhop.ts';
import type { Bench, Line, Session } from '../bench.ts';
import { bareLoop, type Delivering, drained, posted } from '../delivery-sides.ts';
import { createMidoffices } from '../midoffices.ts';
import { startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { inTurns } from '../side-by-side.ts';

const EVENTS = 10_000;
const MIDOFFICES = 10;
const IN_FLIGHT_EACH = 8;

export const deliveryEmbedded: Bench = {
  name: 'delivery-embedded',
  run: (session) => throughput(session, 'embedded', { accepted: 0.78, posted: 0.55 }, {}),
};

export const deliveryPostgres: Bench = {
  name: 'delivery-postgres',
  async run(session) {
    const { env } = await (await startPostgres(session)).newDatabase();
    return throughput(session, 'PostgreSQL', { accepted: 0.65, posted: 0.55 }, env);
  },
};

async function throughput(
  session: Session,
  engine: string,
  atLeast: { accepted: number; posted: number },
  env: Record<string, string>,
): Promise<Line[]> {
  const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
  const url = `${receiver.ready}/hook`;
  const bellhop = await startBellhop(session, await session.folder(), {
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    ...env,
  });
  const sender = await startNode(session, 'bench/servers/bare-sender.ts', [url]);
  const urls = Array.from({ length: MIDOFFICES }, () => url);
  const midoffices = await createMidoffices(bellhop, urls, IN_FLIGHT_EACH);
  const delivering: Delivering = { nodes: [bellhop], midoffices };
  const accepted = drained('Bellhop', delivering, EVENTS);
  const bare = bareLoop(sender, EVENTS, MIDOFFICES * IN_FLIGHT_EACH);
  session.progress('warming up');
  await accepted.measure();
  await bare.measure();
  const title = `delivery, ${engine}:`;
  const both = { unit: 'webhooks/s', against: bare };
  return inTurns(session, [
    {
      ...both,
      title: `${title} accepted → delivered and recorded`,
      bar: { atLeast: atLeast.accepted },
      measured: accepted,
    },
    {
      ...both,
      title: `${title} posted → delivered and recorded`,
      bar: { atLeast: atLeast.posted },
      measured: posted('Bellhop', delivering, EVENTS),
    },
  ]);
}
