/**
 * The delay from an event's POST to its webhook's arrival, at 200 events a second: by itself, with one
 * receiver in ten hanging, and with one midoffice dead and 100,000 events pending for it.
 */
import { open } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bellhop, startBellhop, support } from '../bellhop.ts';
import { type Bench, type Line, median, type Session } from '../bench.ts';
import { createMidoffices, type Midoffices, postEvents } from '../midoffices.ts';
import { type Side, sideBySide } from '../side-by-side.ts';

const EVENTS_PER_SECOND = 200;
const SECONDS = 3;
const MIDOFFICES = 10;
const BACKLOG = 100_000;
const ROUNDS = 5;

export const deliveryDelay: Bench = {
  name: 'delivery-delay',
  async run(session) {
    const receiver = await startReceiver(session);
    const alone = await withMidoffices(session, receiver, `${receiver.url}/hook`);
    const lines = await delays(session, receiver, alone);
    const healthy = delaySide('none', receiver, alone);

    const besideHanging = await withMidoffices(session, receiver, `${receiver.url}/hang`);
    lines.push(
      await sideBySide(
        session,
        {
          title: 'healthy midoffices’ p99 delay with 1 receiver in 10 hanging',
          unit: 'ms',
          bar: { atMost: 1.5 },
        },
        delaySide('one hanging', receiver, besideHanging),
        healthy,
      ),
    );

    const besideDead = await withMidoffices(session, receiver, await nobodyThere());
    const dead = besideDead.midoffices.ids[0] as string;
    session.progress(`storing ${BACKLOG} events for the dead midoffice`);
    await pause(besideDead, dead, true);
    await postEvents(besideDead.bellhop, besideDead.midoffices, [dead], BACKLOG);
    lines.push(
      await sideBySide(
        session,
        {
          title: `healthy midoffices’ p99 delay beside a dead one with ${BACKLOG.toLocaleString('en')} pending`,
          unit: 'ms',
          bar: { atMost: 1.5 },
        },
        // Its Bellhop is busy with it only while it is measured: the other one shares the machine.
        whileBusy(delaySide('one dead', receiver, besideDead), (busy) =>
          pause(besideDead, dead, !busy),
        ),
        healthy,
      ),
    );
    return lines;
  },
};

/** Beside the disk's own delay at the same rate and time, which no durable delivery can undercut. */
async function delays(
  session: Session,
  receiver: Receiver,
  alone: WithMidoffices,
): Promise<Line[]> {
  const disk = join(await session.folder(), 'disk');
  await delaySide('warm-up', receiver, alone).measure();
  const lines: Line[] = [];
  for (const { share, name, atMost } of [
    { share: 0.5, name: 'p50', atMost: 3 },
    { share: 0.99, name: 'p99', atMost: 10 },
  ]) {
    session.progress(`accepted → delivered, ${name}`);
    const side = delaySide(name, receiver, alone, share);
    const rounds: number[] = [];
    const diskRounds: number[] = [];
    for (let n = 0; n < ROUNDS; n++) {
      rounds.push((await side.measure()).figure);
      diskRounds.push(await diskDelay(disk, share));
    }
    lines.push(
      {
        title: `event posted → webhook received at ${EVENTS_PER_SECOND} a second, ${name}`,
        unit: 'ms',
        measured: { name, median: median(rounds), rounds },
        result: median(rounds),
        bar: { atMost },
      },
      {
        title: `the disk alone between those rounds: 8 KiB written and synced, ${name}`,
        unit: 'ms',
        measured: { name, median: median(diskRounds), rounds: diskRounds },
        result: median(diskRounds),
      },
    );
  }
  return lines;
}

async function diskDelay(file: string, share: number): Promise<number> {
  const handle = await open(file, 'w');
  const page = Buffer.alloc(8_192);
  const delaysMs: number[] = [];
  for (let n = 0; n < EVENTS_PER_SECOND * SECONDS; n++) {
    const startedMs = performance.now();
    await handle.write(page, 0, page.length, n * page.length);
    await handle.datasync();
    delaysMs.push(performance.now() - startedMs);
    await sleep(1_000 / EVENTS_PER_SECOND);
  }
  await handle.close();
  return percentile(delaysMs, share);
}

function whileBusy(side: Side, setBusy: (busy: boolean) => Promise<unknown>): Side {
  return {
    name: side.name,
    async measure() {
      await setBusy(true);
      const measured = await side.measure();
      await setBusy(false);
      return measured;
    },
  };
}

function pause({ bellhop }: WithMidoffices, id: string, paused: boolean): Promise<unknown> {
  return support(bellhop, 'PATCH', `/midoffices/${id}`, { paused });
}

interface Receiver {
  url: string;
  /** When each order's webhook came. */
  arrivals: Map<string, number>;
}

async function startReceiver(session: Session): Promise<Receiver> {
  const arrivals = new Map<string, number>();
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    if (request.url === '/hang') return;
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.once('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString());
      arrivals.set(data.partner_order_id, performance.now());
      response.end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  session.undo(() => server.closeAllConnections());
  session.undo(() => server.close());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, arrivals };
}

/** A port that was free a moment ago: connections to it are refused. */
async function nobodyThere(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/hook`;
}

interface WithMidoffices {
  bellhop: Bellhop;
  midoffices: Midoffices;
}

/** The first midoffice's receiver is at `first`; the others are healthy. */
async function withMidoffices(
  session: Session,
  { url }: Receiver,
  first: string,
): Promise<WithMidoffices> {
  const bellhop = await startBellhop(session, await session.folder(), {
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
  });
  const urls = Array.from({ length: MIDOFFICES }, (_, n) => (n === 0 ? first : `${url}/hook`));
  return { bellhop, midoffices: await createMidoffices(bellhop, urls) };
}

function delaySide(
  name: string,
  { arrivals }: Receiver,
  { bellhop, midoffices }: WithMidoffices,
  share = 0.99,
): Side {
  const [first, ...healthy] = midoffices.ids as [string, ...string[]];
  return {
    name,
    async measure() {
      const posted: Promise<{ order: string; atMs: number } | undefined>[] = [];
      for (let n = 0; n < EVENTS_PER_SECOND * SECONDS; n++) {
        const isFirst = n % MIDOFFICES === 0;
        const to = isFirst ? first : (healthy[n % healthy.length] as string);
        const atMs = performance.now();
        posted.push(
          postEvents(bellhop, midoffices, [to], 1).then(([order]) =>
            isFirst ? undefined : { order: order as string, atMs },
          ),
        );
        await sleep(1_000 / EVENTS_PER_SECOND);
      }
      const watched = (await Promise.all(posted)).filter((one) => one !== undefined);
      const delays: number[] = [];
      for (const { order, atMs } of watched) {
        while (!arrivals.has(order)) await sleep(5);
        delays.push((arrivals.get(order) as number) - atMs);
      }
      return { figure: percentile(delays, share) };
    },
  };
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] as number;
}
