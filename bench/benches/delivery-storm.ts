/** What a storm of deliveries does to partners who call the overview at a steady pace. */
import { type Bellhop, OVERVIEW_PATH, startBellhop } from '../bellhop.ts';
import type { Bench } from '../bench.ts';
import { createMidoffices, type Midoffices, postEvents } from '../midoffices.ts';
import { startNode } from '../processes.ts';
import { type Side, sideBySide } from '../side-by-side.ts';

/** 1,600 calls a round, so that the p99 does not depend on a handful. */
const SECONDS = 8;
const EVENTS_AT_ONCE = 100;
const EVERY_MS = 50;
const MIDOFFICES = 10;

export const deliveryStorm: Bench = {
  name: 'delivery-storm',
  async run(session) {
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const bellhop = await startBellhop(session, await session.folder(), {
      BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    });
    const urls = Array.from({ length: MIDOFFICES }, () => `${receiver.ready}/hook`);
    const midoffices = await createMidoffices(bellhop, urls);
    const caller = await startNode(session, 'bench/servers/paced-caller.ts', [
      bellhop.sandbox + OVERVIEW_PATH,
      midoffices.authorization,
    ]);
    const quiet = quietSide(caller.ready);
    session.progress('warming up');
    await quiet.measure();
    const perSecond = (EVENTS_AT_ONCE * 1_000) / EVERY_MS;
    return [
      await sideBySide(
        session,
        {
          title: `overview/ p99 while ${perSecond.toLocaleString('en')} webhooks a second go out`,
          unit: 'ms',
          bar: { atMost: 2 },
        },
        stormSide(caller.ready, bellhop, midoffices),
        quiet,
      ),
    ];
  },
};

function quietSide(caller: string): Side {
  return { name: 'quiet', measure: () => latencies(caller) };
}

function stormSide(caller: string, bellhop: Bellhop, midoffices: Midoffices): Side {
  return {
    name: 'storm',
    async measure() {
      const posting: Promise<unknown>[] = [];
      const storm = setInterval(() => {
        posting.push(postEvents(bellhop, midoffices, midoffices.ids, EVENTS_AT_ONCE));
      }, EVERY_MS);
      const measured = await latencies(caller);
      clearInterval(storm);
      await Promise.all(posting);
      return measured;
    },
  };
}

async function latencies(caller: string) {
  const reply = await fetch(`${caller}/run?seconds=${SECONDS}`);
  const times = (await reply.json()) as number[];
  const at = (share: number) => times[Math.floor(times.length * share)] as number;
  return { figure: at(0.99), details: { p50: at(0.5), calls: times.length } };
}
