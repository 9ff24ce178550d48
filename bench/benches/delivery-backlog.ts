/**
 * Whether a delivery costs more when much else is pending, or with many midoffices. Two Bellhops that differ
 * only in their stock deliver new events through ten midoffices, in turns.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bellhop, startBellhop } from '../bellhop.ts';
import type { Bench, Line, Session } from '../bench.ts';
import { drained } from '../delivery-sides.ts';
import { createMidoffices, type Midoffices } from '../midoffices.ts';
import { type Postgres, startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { type Comparison, inTurns, type Side } from '../side-by-side.ts';
import { type Stock, stockEmbedded, stockPostgres } from '../stock.ts';

const EVENTS = 10_000;
const MIDOFFICES = 10;
const IN_FLIGHT_EACH = 8;
const SETTLING_SECONDS = 3;
const IDLE_SECONDS = 5;

interface Named extends Stock {
  name: string;
}

interface Few extends Named {
  /** What is compared with it; without a bar the figure is only shown. */
  than: (Named & { atMost?: number })[];
}

const stocks: Few[] = [
  {
    name: '10,000 pending',
    midoffices: 100,
    pending: 10_000,
    than: [{ name: '1,000,000 pending', midoffices: 100, pending: 1_000_000, atMost: 1.2 }],
  },
  {
    name: '10 midoffices',
    midoffices: 10,
    pending: 0,
    than: [
      { name: '100,000 midoffices', midoffices: 100_000, pending: 0, atMost: 1.3 },
      { name: '100,000 midoffices, all waiting', midoffices: 100_000, pending: 100_000 },
    ],
  },
];

export const deliveryBacklog: Bench = {
  name: 'delivery-backlog',
  async run(session) {
    const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
    const url = `${receiver.ready}/hook`;
    const postgres = await startPostgres(session);
    const lines: Line[] = [];
    for (const engine of [embedded(session), onPostgres(session, postgres)]) {
      for (const few of stocks) {
        const prepared: [Named, Prepared][] = [];
        for (const stock of [few, ...few.than]) {
          prepared.push([stock, await engine.prepared(url, stock)]);
        }
        session.progress('watching idle Bellhops');
        const sides = await Promise.all(prepared.map((one) => costOf(...one)));
        const [against, ...many] = sides as [Stopping, ...Stopping[]];
        const comparisons = many.map((measured, n): Comparison => {
          const atMost = few.than[n]?.atMost;
          const bar = atMost === undefined ? undefined : { atMost };
          const title = `cost of a delivery, ${engine.name}, ${measured.name}`;
          return { title, unit: 'µs', bar, measured, against };
        });
        session.progress('warming up');
        for (const side of sides) await side.measure();
        lines.push(...(await inTurns(session, comparisons)));
        for (const side of sides) await side.stop();
      }
    }
    return lines;
  },
};

interface Prepared {
  bellhop: Bellhop;
  midoffices: Midoffices;
}

interface Engine {
  name: string;
  /** A Bellhop that was started with this stock in its database. */
  prepared(url: string, stock: Named): Promise<Prepared>;
}

function embedded(session: Session): Engine {
  return {
    name: 'embedded',
    async prepared(url, stock) {
      const folder = await session.folder();
      const start = () => startOn(session, folder, {});
      return stocked(session, url, stock, start, (present) =>
        stockEmbedded(folder, present, stock),
      );
    },
  };
}

function onPostgres(session: Session, postgres: Postgres): Engine {
  return {
    name: 'PostgreSQL',
    async prepared(url, stock) {
      const folder = await session.folder();
      const database = await postgres.newDatabase();
      const start = () => startOn(session, folder, database.env);
      return stocked(session, url, stock, start, (present) =>
        stockPostgres(database, present, stock),
      );
    },
  };
}

function startOn(session: Session, folder: string, env: Record<string, string>): Promise<Bellhop> {
  return startBellhop(session, folder, { BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8', ...env });
}

async function stocked(
  session: Session,
  url: string,
  { name }: { name: string },
  start: () => Promise<Bellhop>,
  fill: (present: Midoffices) => void | Promise<void>,
): Promise<Prepared> {
  const first = await start();
  const urls = Array.from({ length: MIDOFFICES }, () => url);
  const midoffices = await createMidoffices(first, urls, IN_FLIGHT_EACH);
  await first.stop();
  session.progress(`storing ${name}`);
  await fill(midoffices);
  return { bellhop: await start(), midoffices };
}

type Stopping = Side & Pick<Bellhop, 'stop'>;

async function costOf({ name }: Named, { bellhop, midoffices }: Prepared): Promise<Stopping> {
  const idle = await whileIdle(bellhop);
  const side = drained(name, { nodes: [bellhop], midoffices }, EVENTS);
  return {
    name,
    async measure() {
      const { figure, details: cpu } = await side.measure();
      const details = { ...cpu, ...idle, 'MB after': await bellhop.memoryMb() };
      return { figure: 1_000_000 / figure, details };
    },
    stop: bellhop.stop,
  };
}

async function whileIdle(bellhop: Bellhop): Promise<Record<string, number>> {
  await sleep(SETTLING_SECONDS * 1_000);
  const startedCpuMs = await bellhop.cpuMs();
  await sleep(IDLE_SECONDS * 1_000);
  const idleCpuMs = (await bellhop.cpuMs()) - startedCpuMs;
  return {
    'start in s': bellhop.startMs / 1_000,
    'MB idle': await bellhop.memoryMb(),
    '% CPU idle': idleCpuMs / IDLE_SECONDS / 10,
  };
}
