/**
 * `npm run soak -- [--minutes 60] [--setup embedded] [--calls 250]`: a mixed load at half of the machine's capacity, with
 * a sample every ten seconds; both setups at the same time, unless one is chosen. Exits 1 if memory or handles grow
 * (verdict.ts), or a request fails. Writes docs/scale/soak.json, soak.md and its plots.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import type { Session } from '../bench.ts';
import { posted } from '../delivery-sides.ts';
import { type Setup, startUnderLoad } from '../load/under-load.ts';
import { clearProgress } from '../report.ts';
import { openSessions } from '../session.ts';
import { keep, type Sample, type Soak, trendsOf, writeDocument } from './document.ts';

const SAMPLE_MS = 10_000;
const CAPACITY_EVENTS = 20_000;
/** Of what Bellhop can accept and deliver while nothing else goes on. Setups that run at the same time divide it. */
const SHARE = 0.5;
/** Partner calls a second: fewer in an hour than the key's limit, which is the largest there is. */
const USUAL_CALLS = 250;
const PAGE_EVERY_MS = 500;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    setup: { type: 'string', default: '' },
    calls: { type: 'string', default: String(USUAL_CALLS) },
  },
});
const minutes = Number(values.minutes);
const partnerCalls = Number(values.calls);
const chosen = (['embedded', 'PostgreSQL and Redis'] as const).filter((setup) =>
  setup.toLowerCase().startsWith(values.setup.toLowerCase()),
);
if (!(minutes >= 1) || !(partnerCalls > 0) || chosen.length === 0) {
  console.error('--minutes takes 1 or more, --setup embedded or postgresql, --calls a number.');
  process.exit(2);
}

const { sessionOf, undoAll } = await openSessions();
let hasFailed = false;
try {
  const loads: Loaded[] = [];
  for (const setup of chosen) loads.push(await loaded(sessionOf(`soak ${setup}`), setup));
  const runs = await Promise.all(loads.map(soak));
  for (const run of runs) {
    await keep(run);
    hasFailed ||= Object.values(trendsOf(run)).some((trend) => trend.isGrowing);
    hasFailed ||= run.samples.some(({ failed }) => failed > 0);
  }
  await writeDocument();
} finally {
  await undoAll();
}
process.exitCode = hasFailed ? 1 : 0;

interface Loaded {
  setup: Setup;
  load: Awaited<ReturnType<typeof startUnderLoad>>;
  capacity: number;
}

/** One after the other: nothing else runs while a capacity is measured. */
async function loaded(session: Session, setup: Setup): Promise<Loaded> {
  const load = await startUnderLoad(session, setup);
  session.progress('finding the capacity');
  const nodes: [typeof load.bellhop] = [load.bellhop];
  const side = posted('alone', { nodes, midoffices: load.midoffices }, CAPACITY_EVENTS);
  await side.measure();
  const { figure: capacity } = await side.measure();
  return { setup, load, capacity };
}

async function soak({ setup, load, capacity }: Loaded): Promise<Soak> {
  const share = SHARE / chosen.length;
  await load.orders.setRate(capacity * share);
  await load.partners.setRate(partnerCalls);
  load.backOffice.start(PAGE_EVERY_MS);
  const samples: Sample[] = [];
  const startedMs = performance.now();
  while (performance.now() < startedMs + minutes * 60_000) {
    await sleep(SAMPLE_MS);
    const [look, orders, partners] = await Promise.all([
      load.look(),
      load.orders.take(),
      load.partners.take(),
    ]);
    const pages = load.backOffice.take();
    samples.push({
      atSeconds: Math.round((performance.now() - startedMs) / 1_000),
      ...look,
      events: orders.accepted.count * orders.batch,
      eventP50Ms: orders.accepted.p50Ms,
      eventP99Ms: orders.accepted.p99Ms,
      partnerP50Ms: partners.p50Ms,
      partnerP99Ms: partners.p99Ms,
      pageP99Ms: pages.p99Ms,
      failed: orders.failed + orders.refused.count + partners.failed + pages.failed,
    });
    clearProgress();
    const last = samples.at(-1) as Sample;
    console.log(
      `${setup} ${last.atSeconds} s: ${last.events} events, ${last.rssMb.toFixed(0)} MB, heap ${last.heapMb.toFixed(0)} MB, ${last.handles} handles, partners p99 ${last.partnerP99Ms} ms, database ${last.databaseMb.toFixed(0)} MB, ${last.failed} failed`,
    );
  }
  return {
    setup,
    at: new Date().toISOString(),
    isAlone: chosen.length === 1,
    capacity,
    share,
    partnerCalls,
    samples,
  };
}
