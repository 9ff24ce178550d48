/**
 * How many events per second go all the way, posted → accepted → delivered and recorded, if 64 callers
 * post them one at a time. The bars are absolute: they show the cost of an event that shares nothing with
 * a batch. The callers' own maximum and the bare loop are printed beside them.
 */
import { ADMIN_TOKEN, startBellhop } from '../bellhop.ts';
import type { Bench, Line, Session } from '../bench.ts';
import { bareLoop, perSecond } from '../delivery-sides.ts';
import { createMidoffices, deliveredCount, untilDelivered } from '../midoffices.ts';
import { startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { alone } from '../side-by-side.ts';

const EVENTS = 10_000;
const CALLERS = 64;
const MIDOFFICES = 10;
const IN_FLIGHT_EACH = 8;

export const deliverySingle: Bench = {
  name: 'delivery-single',
  async run(session) {
    const postgres = await startPostgres(session);
    return [
      await single(session, 'embedded', 5_800, {}),
      await single(session, 'PostgreSQL', 2_800, (await postgres.newDatabase()).env),
    ];
  },
};

async function single(
  session: Session,
  engine: string,
  bar: number,
  env: Record<string, string>,
): Promise<Line> {
  const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
  const url = `${receiver.ready}/hook`;
  const bellhop = await startBellhop(session, await session.folder(), {
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    ...env,
  });
  const urls = Array.from({ length: MIDOFFICES }, () => url);
  const { partnerId, ids } = await createMidoffices(bellhop, urls, IN_FLIGHT_EACH);
  const callers = await startNode(session, 'bench/servers/single-callers.ts', [
    ...[ADMIN_TOKEN, partnerId, ids.join(',')],
  ]);
  const nothing = await startNode(session, 'bench/servers/bare-accepting.ts', []);
  const sender = await startNode(session, 'bench/servers/bare-sender.ts', [url]);
  const bare = bareLoop(sender, EVENTS, CALLERS);

  async function postedTo(address: string): Promise<number> {
    const query = new URLSearchParams({
      url: address,
      count: String(EVENTS),
      callers: String(CALLERS),
    });
    const reply = await fetch(`${callers.ready}/run?${query}`);
    if (!reply.ok) throw new Error(`an event was refused: ${await reply.text()}`);
    return EVENTS / Number(await reply.text());
  }

  const side = {
    name: 'Bellhop',
    async measure() {
      const before = await deliveredCount([bellhop]);
      const startedMs = performance.now();
      const accepted = await postedTo(`${bellhop.backOffice}/orders/v1/sandbox/events`);
      await untilDelivered([bellhop], before + EVENTS);
      const figure = perSecond(EVENTS, startedMs);
      const callersAlone = await postedTo(nothing.ready);
      const loop = (await bare.measure()).figure;
      return {
        figure,
        details: { accepted, 'callers against a bare node:http': callersAlone, 'bare loop': loop },
      };
    },
  };
  session.progress('warming up');
  await side.measure();
  return alone(
    session,
    {
      title: `delivery, ${engine}: posted one at a time by ${CALLERS} callers → delivered and recorded`,
      unit: 'events/s',
      bar: { atLeast: bar },
    },
    side,
  );
}
