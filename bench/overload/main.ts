/**
 * `npm run overload -- [--seconds 300] [--times 3] [--engine embedded]`: posts several times as many order
 * events as Bellhop can deliver, while partners call and support works. Prints every ten seconds what is accepted,
 * refused and delivered and what everyone else notices. Writes docs/scale/overload.json and, from it, overload.md
 * and its plots. Exits with 1 if a promise was broken (promises.ts).
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { median, type Session } from '../bench.ts';
import { drained } from '../delivery-sides.ts';
import { startUnderLoad, type UnderLoad } from '../load/under-load.ts';
import { deliveredCount, untilDelivered } from '../midoffices.ts';
import { clearProgress } from '../report.ts';
import { openSessions } from '../session.ts';
import { keep, type Overload, type Period, writeDocument } from './document.ts';
import { brokenPromises, sumOf } from './promises.ts';

const PERIOD_MS = 10_000;
const CAPACITY_EVENTS = 20_000;
const CAPACITY_ROUNDS = 3;
const PARTNER_CALLS = 200;
const PAGE_EVERY_MS = 100;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '300' },
    times: { type: 'string', default: '3' },
    engine: { type: 'string', default: '' },
  },
});
const seconds = Number(values.seconds);
const times = Number(values.times);
const chosen = (['embedded', 'PostgreSQL'] as const).filter((engine) =>
  engine.toLowerCase().startsWith(values.engine.toLowerCase()),
);
if (!(seconds >= 10) || !(times > 0) || chosen.length === 0) {
  console.error('--seconds takes 10 or more, --times a number, --engine embedded or postgresql.');
  process.exit(2);
}

const { sessionOf, undoAll } = await openSessions();
let isKept = true;
try {
  for (const engine of chosen) {
    const measured = await overload(sessionOf(`overload ${engine}`), engine);
    await undoAll();
    await keep(measured);
    const broken = brokenPromises(measured);
    for (const promise of broken) say(`${engine}: ${promise}`);
    isKept &&= broken.length === 0;
  }
  await writeDocument();
} finally {
  await undoAll();
}
process.exitCode = isKept ? 0 : 1;

async function overload(session: Session, engine: Overload['engine']): Promise<Overload> {
  const load = await startUnderLoad(session, engine);
  const nodes: [typeof load.bellhop] = [load.bellhop];
  const capacity = await findCapacity(session, load);
  await load.partners.setRate(PARTNER_CALLS);
  load.backOffice.start(PAGE_EVERY_MS);
  session.progress('watching partners and support without any events');
  await sleep(PERIOD_MS / 2);
  const deliveredBefore = await deliveredCount(nodes);
  const now = () => ({ startedMs: performance.now(), sinceMs: performance.now() });
  await observe(load, deliveredBefore, now());
  const quietSince = now();
  await sleep(PERIOD_MS);
  const quiet = await observe(load, deliveredBefore, quietSince);
  say(`${engine}: ${Math.round(capacity)} webhooks/s alone; now ${times} times as many events`);

  const periods: Period[] = [];
  await load.orders.setRate(capacity * times);
  let delivered = deliveredBefore;
  const startedMs = performance.now();
  let sinceMs = startedMs;
  while (performance.now() < startedMs + seconds * 1_000) {
    await sleep(PERIOD_MS);
    const period = await observe(load, delivered, { startedMs, sinceMs });
    sinceMs += period.seconds * 1_000;
    delivered += period.delivered;
    periods.push(period);
    say(sentence(period));
  }
  await load.orders.setRate(0);
  const accepted = await drainAll(session, load, deliveredBefore, periods);
  const lost = deliveredBefore + accepted - (await deliveredCount(nodes));
  return {
    engine,
    at: new Date().toISOString(),
    times,
    capacity,
    quiet,
    periods,
    accepted,
    lost,
    drainSeconds: (performance.now() - startedMs) / 1_000 - seconds,
    failed: sumOf(periods, ({ failed }) => failed),
  };
}

/** Webhooks a second while nothing else goes on. */
async function findCapacity(session: Session, { bellhop, midoffices }: UnderLoad): Promise<number> {
  const side = drained('alone', { nodes: [bellhop], midoffices }, CAPACITY_EVENTS);
  const rounds: number[] = [];
  for (let round = 0; round <= CAPACITY_ROUNDS; round++) {
    session.progress(`finding the capacity, round ${round}`);
    const { figure } = await side.measure();
    // The first round warms the code up.
    if (round > 0) rounds.push(figure);
  }
  return median(rounds);
}

/** A saturated Bellhop answers late, so a period may last longer than planned: `sinceMs` is when it began. */
async function observe(
  load: UnderLoad,
  deliveredBefore: number,
  { startedMs, sinceMs }: { startedMs: number; sinceMs: number },
): Promise<Period> {
  const delivered = (await deliveredCount([load.bellhop])) - deliveredBefore;
  const [orders, partners, look] = await Promise.all([
    load.orders.take(),
    load.partners.take(),
    load.look(),
  ]);
  const pages = load.backOffice.take();
  const nowMs = performance.now();
  return {
    atSeconds: Math.round((nowMs - startedMs) / 1_000),
    seconds: (nowMs - sinceMs) / 1_000,
    acceptedEvents: orders.accepted.count * orders.batch,
    refusedEvents: orders.refused.count * orders.batch,
    leftOutEvents: orders.leftOut * orders.batch,
    acceptedP99Ms: orders.accepted.p99Ms,
    refusedP50Ms: orders.refused.p50Ms,
    refusedP99Ms: orders.refused.p99Ms,
    delivered,
    partnerP50Ms: partners.p50Ms,
    partnerP99Ms: partners.p99Ms,
    pageP50Ms: pages.p50Ms,
    pageP99Ms: pages.p99Ms,
    failed: orders.failed + orders.withoutRetryAfter + partners.failed + pages.failed,
    cpuSeconds: look.cpuSeconds,
    rssMb: Math.round(look.rssMb),
    heapMb: Math.round(look.heapMb),
    partnerLoopP99Ms: look.partnerLoopP99Ms,
    servicesLoopP99Ms: look.servicesLoopP99Ms,
  };
}

/** Waits until everything is delivered. Returns how many events were accepted, also after the last period. */
async function drainAll(
  session: Session,
  load: UnderLoad,
  deliveredBefore: number,
  periods: readonly Period[],
): Promise<number> {
  session.progress('delivering the rest');
  let accepted = sumOf(periods, ({ acceptedEvents }) => acceptedEvents);
  let open = 1;
  while (open > 0) {
    await sleep(500);
    const taken = await load.orders.take();
    accepted += taken.accepted.count * taken.batch;
    open = taken.open;
  }
  await untilDelivered([load.bellhop], deliveredBefore + accepted);
  return accepted;
}

function sentence(period: Period): string {
  const { atSeconds, acceptedEvents, refusedEvents, delivered, rssMb } = period;
  return `${String(atSeconds).padStart(4)} s: ${acceptedEvents} accepted, ${refusedEvents} refused (p99 ${period.refusedP99Ms} ms), ${delivered} delivered, ${rssMb} MB, partners p99 ${period.partnerP99Ms} ms, pages p99 ${period.pageP99Ms} ms, services loop p99 ${period.servicesLoopP99Ms.toFixed(0)} ms`;
}

function say(words: string): void {
  clearProgress();
  console.log(words);
}
