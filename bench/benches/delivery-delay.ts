/**
 * The delay from an event's POST to its webhook's arrival, at 200 events a second: by itself, with one
 * receiver in ten hanging, and with one midoffice dead and 100,000 events pending for it.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bellhop, startBellhop } from '../bellhop.ts';
import type { Bench, Session } from '../bench.ts';
import { createMidoffices, type Midoffices, postEvents } from '../midoffices.ts';
import { type Side, sideBySide } from '../side-by-side.ts';

const EVENTS_PER_SECOND = 200;
const SECONDS = 3;
const MIDOFFICES = 10;
const BACKLOG = 100_000;

export const deliveryDelay: Bench = {
  name: 'delivery-delay',
  async run(session) {
    const receiver = await startReceiver(session);
    const alone = await withMidoffices(session, receiver, '/hook');
    const besideHanging = await withMidoffices(session, receiver, '/hang');
    const besideDead = await withMidoffices(session, receiver, '/dead');
    session.progress(`storing ${BACKLOG} events for the dead midoffice`);
    const [dead] = besideDead.midoffices.ids;
    await postEvents(besideDead.bellhop, besideDead.midoffices, [dead as string], BACKLOG);
    const healthy = delaySide('none', receiver, alone);
    await healthy.measure();
    const p50 = { figure: 0.5, name: 'p50' };
    const p99 = { figure: 0.99, name: 'p99' };
    const lines = [];
    for (const { figure, name } of [p50, p99]) {
      session.progress(`accepted → delivered, ${name}`);
      const side = delaySide(name, receiver, alone, figure);
      const rounds = [];
      for (let n = 0; n < 5; n++) rounds.push((await side.measure()).figure);
      rounds.sort((a, b) => a - b);
      const median = rounds[2] as number;
      lines.push({
        title: `event posted → webhook received at ${EVENTS_PER_SECOND} a second, ${name}`,
        unit: 'ms',
        measured: { name, median, rounds },
        result: median,
        bar: { atMost: figure === 0.5 ? 3 : 10 },
      });
    }
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
      await sideBySide(
        session,
        {
          title: `healthy midoffices’ p99 delay beside a dead one with ${BACKLOG.toLocaleString('en')} pending`,
          unit: 'ms',
          bar: { atMost: 1.5 },
        },
        delaySide('one dead', receiver, besideDead),
        healthy,
      ),
    );
    return lines;
  },
};

interface Receiver {
  url: string;
  /** When each order's webhook came. */
  arrivals: Map<string, number>;
}

async function startReceiver(session: Session): Promise<Receiver> {
  const arrivals = new Map<string, number>();
  const server = createServer({ keepAliveTimeout: 75_000 }, (request, response) => {
    if (request.url === '/hang') return;
    if (request.url === '/dead') {
      response.writeHead(503).end();
      return;
    }
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

/** The first midoffice's receiver is at `path`; the others are healthy. */
async function withMidoffices(session: Session, { url }: Receiver, path: string) {
  const bellhop = await startBellhop(session, await session.folder(), {
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
  });
  const urls = Array.from({ length: MIDOFFICES }, (_, n) => url + (n === 0 ? path : '/hook'));
  return { bellhop, midoffices: await createMidoffices(bellhop, urls) };
}

function delaySide(
  name: string,
  { arrivals }: Receiver,
  { bellhop, midoffices }: { bellhop: Bellhop; midoffices: Midoffices },
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
      delays.sort((a, b) => a - b);
      return { figure: delays[Math.floor(delays.length * share)] as number };
    },
  };
}
