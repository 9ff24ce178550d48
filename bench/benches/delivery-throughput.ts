/**
 * How fast accepted events are delivered and recorded, beside a bare loop that only signs and POSTs.
 * The events are accepted while the midoffices are paused; the clock runs from their resumption until
 * the last attempt is committed. What accepting costs on top is a line of its own.
 */
import { startPostgresServer } from '../../test/provide/postgres.ts';
import { type Bellhop, startBellhop, support } from '../bellhop.ts';
import type { Bench, Line, Session } from '../bench.ts';
import {
  createMidoffices,
  deliveredCount,
  type Midoffices,
  postEvents,
  untilDelivered,
} from '../midoffices.ts';
import { startNode } from '../processes.ts';
import { type Side, sideBySide } from '../side-by-side.ts';

const EVENTS = 20_000;
const MIDOFFICES = 10;
const IN_FLIGHT_EACH = 8;

export const deliveryEmbedded: Bench = {
  name: 'delivery-embedded',
  run: (session) => throughput(session, 'embedded', 0.6, {}),
};

export const deliveryPostgres: Bench = {
  name: 'delivery-postgres',
  async run(session) {
    session.progress('starting PostgreSQL');
    const postgres = await startPostgresServer();
    session.undo(() => postgres.end());
    return throughput(session, 'PostgreSQL', 0.4, {
      BELLHOP_SANDBOX_DATABASE_URL: postgres.url,
      BELLHOP_MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    });
  },
};

async function throughput(
  session: Session,
  engine: string,
  bar: number,
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
  const bare = bareSide(sender.ready);
  session.progress('warming up');
  await drained(bellhop, midoffices).measure();
  await bare.measure();
  return [
    await sideBySide(
      session,
      {
        title: `delivery, ${engine}: accepted → delivered and recorded`,
        unit: 'webhooks/s',
        bar: { atLeast: bar },
      },
      drained(bellhop, midoffices),
      bare,
    ),
    await sideBySide(
      session,
      { title: `delivery, ${engine}: posted → delivered and recorded`, unit: 'webhooks/s' },
      posted(bellhop, midoffices),
      bare,
    ),
  ];
}

function drained(bellhop: Bellhop, midoffices: Midoffices): Side {
  const pause = (paused: boolean) =>
    Promise.all(
      midoffices.ids.map((id) => support(bellhop, 'PATCH', `/midoffices/${id}`, { paused })),
    );
  return {
    name: 'Bellhop',
    async measure() {
      await pause(true);
      const before = await deliveredCount(bellhop);
      await postEvents(bellhop, midoffices, midoffices.ids, EVENTS);
      const startedMs = performance.now();
      await pause(false);
      await untilDelivered(bellhop, before + EVENTS);
      return { figure: EVENTS / ((performance.now() - startedMs) / 1_000) };
    },
  };
}

function posted(bellhop: Bellhop, midoffices: Midoffices): Side {
  return {
    name: 'Bellhop',
    async measure() {
      const before = await deliveredCount(bellhop);
      const startedMs = performance.now();
      await postEvents(bellhop, midoffices, midoffices.ids, EVENTS);
      await untilDelivered(bellhop, before + EVENTS);
      return { figure: EVENTS / ((performance.now() - startedMs) / 1_000) };
    },
  };
}

function bareSide(sender: string): Side {
  const atOnce = MIDOFFICES * IN_FLIGHT_EACH;
  return {
    name: 'bare loop',
    async measure() {
      const reply = await fetch(`${sender}/send?count=${EVENTS}&at_once=${atOnce}`);
      return { figure: EVENTS / Number(await reply.text()) };
    },
  };
}
