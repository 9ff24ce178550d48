/**
 * How many events per second go all the way, posted → accepted → delivered and recorded, if 64 callers
 * post them one at a time. The bars are absolute: they show the cost of an event that shares nothing with
 * a batch. The callers' own maximum and the bare loop are printed beside them.
 *
 * BENCH_AGAINST=../earlier, a checkout with its packages installed, measures in turns with that one instead.
 */
import { resolve } from 'node:path';
import { ADMIN_TOKEN, startBellhop } from '../bellhop.ts';
import type { Bench, Line, Session } from '../bench.ts';
import { bareLoop, cpuMs, cpuOfEach, perSecond } from '../delivery-sides.ts';
import { createMidoffices, deliveredCount, untilDelivered } from '../midoffices.ts';
import { startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { alone, type Round, type Side, sideBySide } from '../side-by-side.ts';

const EVENTS = 10_000;
const CALLERS = 64;
const MIDOFFICES = 10;
const IN_FLIGHT_EACH = 8;

interface Engine {
  name: string;
  /** Events a second; how many times the rate of the other checkout. */
  bars: { alone: number; against: number };
  /** The settings of one more Bellhop. */
  env(): Promise<Record<string, string>>;
}

export const deliverySingle: Bench = {
  name: 'delivery-single',
  async run(session) {
    const postgres = await startPostgres(session);
    const engines: Engine[] = [
      { name: 'embedded', bars: { alone: 5_800, against: 1.6 }, env: async () => ({}) },
      {
        name: 'PostgreSQL',
        bars: { alone: 2_800, against: 1.4 },
        env: async () => (await postgres.newDatabase()).env,
      },
    ];
    const other = process.env.BENCH_AGAINST;
    const lines: Line[] = [];
    for (const engine of engines) {
      lines.push(
        await (other ? against(session, engine, resolve(other)) : single(session, engine)),
      );
    }
    return lines;
  },
};

function about({ name }: Engine, atLeast: number) {
  return {
    title: `delivery, ${name}: posted one at a time by ${CALLERS} callers → delivered and recorded`,
    unit: 'events/s',
    bar: { atLeast },
  };
}

async function single(session: Session, engine: Engine): Promise<Line> {
  const { measure, postedTo, receiver } = await side(session, engine);
  const nothing = await startNode(session, 'bench/servers/bare-accepting.ts', []);
  const sender = await startNode(session, 'bench/servers/bare-sender.ts', [receiver]);
  const bare = bareLoop(sender, EVENTS, CALLERS);
  return alone(session, about(engine, engine.bars.alone), {
    name: 'Bellhop',
    async measure() {
      const { figure, details } = await measure();
      const callersAlone = await postedTo(nothing.ready);
      const loop = (await bare.measure()).figure;
      return {
        figure,
        details: {
          ...details,
          'callers against a bare node:http': callersAlone,
          'bare loop': loop,
        },
      };
    },
  });
}

async function against(session: Session, engine: Engine, checkout: string): Promise<Line> {
  const ours = await side(session, engine);
  const theirs = await side(session, engine, checkout);
  return sideBySide(session, about(engine, engine.bars.against), ours, theirs);
}

interface SingleSide extends Side {
  postedTo(address: string): Promise<number>;
  /** Where the webhooks go. */
  receiver: string;
}

async function side(session: Session, { env }: Engine, checkout?: string): Promise<SingleSide> {
  const receiver = `${(await startNode(session, 'bench/servers/receiver.ts', [])).ready}/hook`;
  const settings = { BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8', ...(await env()) };
  const bellhop = await startBellhop(session, await session.folder(), settings, checkout);
  const urls = Array.from({ length: MIDOFFICES }, () => receiver);
  const { partnerId, ids } = await createMidoffices(bellhop, urls, IN_FLIGHT_EACH);
  const callers = await startNode(session, 'bench/servers/single-callers.ts', [
    ...[ADMIN_TOKEN, partnerId, ids.join(',')],
  ]);

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

  async function measure(): Promise<Round> {
    const before = await deliveredCount([bellhop]);
    const usedMs = await cpuMs([bellhop]);
    const startedMs = performance.now();
    const accepted = await postedTo(`${bellhop.backOffice}/orders/v1/sandbox/events`);
    await untilDelivered([bellhop], before + EVENTS);
    const figure = perSecond(EVENTS, startedMs);
    const cpu = cpuOfEach((await cpuMs([bellhop])) - usedMs, EVENTS);
    return { figure, details: { accepted, ...cpu } };
  }
  session.progress('warming up');
  await measure();
  return { name: checkout ?? 'Bellhop', postedTo, receiver, measure };
}
