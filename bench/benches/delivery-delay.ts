/**
 * The delay from an event's POST to its webhook's arrival, at 200 events a second: by itself, with one
 * receiver in ten hanging, and with one midoffice dead and 100,000 events pending for it.
 */
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../kit/free-port.ts';
import { listen } from '../../kit/listen.ts';
import { type Bellhop, startBellhop, support } from '../bellhop.ts';
import { type Bench, type Line, median, type Session } from '../bench.ts';
import { createMidoffices, type Midoffices, postEvents } from '../midoffices.ts';
import { startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { inTurns, type Side } from '../side-by-side.ts';

const EVENTS_PER_SECOND = 200;
/** 1,080 samples of healthy midoffices a round, so that the p99 does not depend on a single one. */
const SECONDS = 6;
const MIDOFFICES = 10;
const BACKLOG = 100_000;
const ROUNDS = 3;
const LOST_MS = 60_000;

export const deliveryDelay: Bench = {
  name: 'delivery-delay',
  async run(session) {
    const receiver = await startReceiver(session);
    const alone = await withMidoffices(session, receiver, `${receiver.url}/hook`);
    const lines = await delays(session, receiver, {
      engine: 'embedded',
      at: alone,
      database: join(await session.folder(), 'relayed'),
      atMost: { p50: 1.5, p99: 5 },
    });
    const postgres = await startPostgres(session);
    const { env } = await postgres.newDatabase();
    const onPostgres = await withMidoffices(session, receiver, `${receiver.url}/hook`, env);
    lines.push(
      ...(await delays(session, receiver, {
        engine: 'PostgreSQL',
        at: onPostgres,
        database: (await postgres.newDatabase()).url,
        atMost: { p50: 3, p99: 10 },
      })),
    );
    await onPostgres.bellhop.stop();
    const besideHanging = await withMidoffices(session, receiver, `${receiver.url}/hang`);
    const besideDead = await withMidoffices(
      session,
      receiver,
      `http://127.0.0.1:${await freePort()}/hook`,
    );
    const dead = besideDead.midoffices.ids[0] as string;
    session.progress(`storing ${BACKLOG} events for the dead midoffice`);
    await pause(besideDead, dead, true);
    await postEvents(besideDead.bellhop, besideDead.midoffices, [dead], BACKLOG);
    const title = 'healthy midoffices’ p99 delay';
    const pending = BACKLOG.toLocaleString('en');
    const against = p99Side('none', receiver, alone);
    const both = { unit: 'ms', bar: { atMost: 1.5 }, against };
    lines.push(
      ...(await inTurns(session, [
        {
          ...both,
          title: `${title} with 1 receiver in 10 hanging`,
          measured: p99Side('one hanging', receiver, besideHanging),
        },
        {
          ...both,
          title: `${title} beside a dead one with ${pending} pending`,
          // Its backlog is active only while it is measured, because the other Bellhops share the machine.
          measured: whileBusy(p99Side('one dead', receiver, besideDead), (busy) =>
            pause(besideDead, dead, !busy),
          ),
        },
      ])),
    );
    return lines;
  },
};

interface Measured {
  engine: string;
  at: WithMidoffices;
  /** For the relay that it is compared with. */
  database: string;
  atMost: { p50: number; p99: number };
}

/**
 * In milliseconds, as partners experience it, and compared with a bare relay measured in turns. If the disk
 * or other load delays both, only the ratio shows what Bellhop adds.
 */
async function delays(
  session: Session,
  receiver: Receiver,
  { engine, at, database, atMost }: Measured,
): Promise<Line[]> {
  const relay = await startNode(session, 'bench/servers/bare-relay.ts', [
    `${receiver.url}/hook`,
    database,
  ]);
  const bare = { bellhop: { ...at.bellhop, backOffice: relay.ready }, midoffices: at.midoffices };
  await delaysMs(receiver, at);
  await delaysMs(receiver, bare);
  const rounds: number[][] = [];
  const bareRounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    session.progress(`posted → received, ${engine}, round ${round + 1} of ${ROUNDS}`);
    rounds.push(await delaysMs(receiver, at));
    bareRounds.push(await delaysMs(receiver, bare));
  }
  await relay.stop();
  const percentiles = [
    { name: 'p50', share: 0.5, bar: { atMost: atMost.p50 } },
    { name: 'p99', share: 0.99, bar: { atMost: atMost.p99 } },
  ];
  return percentiles.flatMap(({ name, share, bar }) => {
    const title = `event posted → webhook received, ${engine}, at ${EVENTS_PER_SECOND} a second, ${name}`;
    const ours = rounds.map((delays) => percentile(delays, share));
    const theirs = bareRounds.map((delays) => percentile(delays, share));
    const ratios = ours.map((delay, round) => delay / (theirs[round] as number));
    const measured = { name: 'Bellhop', median: median(ours), rounds: ours };
    const against = { name: 'bare relay', median: median(theirs), rounds: theirs };
    return [
      { title, unit: 'ms', measured, result: measured.median, bar },
      { title: `${title}, ratio`, unit: 'ms', measured, against, result: median(ratios), ratios },
    ];
  });
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
  /** When each order's webhook arrived. */
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
  const { url, close } = await listen(server);
  session.undo(close);
  return { url, arrivals };
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
  env: Record<string, string> = {},
): Promise<WithMidoffices> {
  const bellhop = await startBellhop(session, await session.folder(), {
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    ...env,
  });
  const urls = Array.from({ length: MIDOFFICES }, (_, n) => (n === 0 ? first : `${url}/hook`));
  return { bellhop, midoffices: await createMidoffices(bellhop, urls) };
}

function p99Side(name: string, receiver: Receiver, at: WithMidoffices): Side {
  return {
    name,
    async measure() {
      const delays = await delaysMs(receiver, at);
      const details = { p50: percentile(delays, 0.5), samples: delays.length };
      return { figure: percentile(delays, 0.99), details };
    },
  };
}

/** Of every event but those of the first midoffice. */
async function delaysMs(
  { arrivals }: Receiver,
  { bellhop, midoffices }: WithMidoffices,
): Promise<number[]> {
  const [first, ...healthy] = midoffices.ids as [string, ...string[]];
  const posted: Promise<{ order: string; atMs: number } | undefined>[] = [];
  const startMs = performance.now();
  for (let n = 0; n < EVENTS_PER_SECOND * SECONDS; n++) {
    const nextMs = startMs + (n * 1_000) / EVENTS_PER_SECOND;
    await sleep(Math.max(0, nextMs - performance.now()));
    const isFirst = n % MIDOFFICES === 0;
    const to = isFirst ? first : (healthy[n % healthy.length] as string);
    const atMs = performance.now();
    posted.push(
      postEvents(bellhop, midoffices, [to], 1).then(([order]) =>
        isFirst ? undefined : { order: order as string, atMs },
      ),
    );
  }
  const watched = (await Promise.all(posted)).filter((one) => one !== undefined);
  const delays: number[] = [];
  for (const { order, atMs } of watched) {
    while (!arrivals.has(order)) {
      if (performance.now() > atMs + LOST_MS)
        throw new Error(`no webhook of order ${order} arrived`);
      await sleep(5);
    }
    delays.push((arrivals.get(order) as number) - atMs);
  }
  arrivals.clear();
  return delays;
}

function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] as number;
}
