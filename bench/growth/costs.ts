/** What one thing costs on a database of a given size: start, memory, calls, events, pages, retention. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { request } from 'undici';
import { systemClock } from '../../server/src/base/clock.ts';
import { createLogger } from '../../server/src/base/logging/logger.ts';
import { Vault } from '../../server/src/base/sealing/vault.ts';
import { masterKeyIn } from '../../server/src/operate/master-key.ts';
import { openPostgresStore } from '../../server/src/store/postgres/open.ts';
import { openSqliteStore } from '../../server/src/store/sqlite/open.ts';
import type { Store } from '../../server/src/store/store.ts';
import { ADMIN_TOKEN, type Bellhop, OVERVIEW_PATH } from '../bellhop.ts';
import { median, type Session } from '../bench.ts';
import { cpuMicrosOf, cpuMicrosOfPostgres } from '../cpu-time.ts';
import { FIRST_KEY_ID } from '../keys.ts';
import { deliveredCount, pauseAll, postEvents, untilDelivered } from '../midoffices.ts';
import { portalUrl } from '../portal-visit.ts';
import { runWrk } from '../wrk.ts';
import { STOCKED } from './fill.ts';
import { type Page, pages } from './pages.ts';
import { portalPages } from './portal-pages.ts';
import type { Dimension, StockSize } from './stock-size.ts';
import type { StockedBellhop } from './stocked-bellhop.ts';

export interface Cost {
  name: string;
  /** CPU time is that of Bellhop and PostgreSQL together, unless the name says otherwise. */
  unit: 'µs of CPU' | 'ms of CPU' | 'ms' | 'MB' | 'bytes';
  value: number;
  /** Pages only: the time that the caller waited. */
  p50Ms?: number;
}

const EVENTS = 4_000;
const ROUNDS = 3;
const MOST_CALLS = 15;
const MOST_PAGE_MS = 800;
/** A cached value is read again after 20 times as long as reading it took. */
const CACHED_FOR = 22;
const LONGEST_CACHE_WAIT_MS = 4_000;
const RETENTION_BATCHES = 10;
const RETENTION_ROWS = 500;

export async function costsOf(
  session: Session,
  stocked: StockedBellhop,
  size: StockSize,
  measures: Dimension['measures'],
): Promise<Cost[]> {
  session.progress('starting');
  const starts: number[] = [];
  let bellhop = await stocked.start();
  for (let round = 0; round < ROUNDS; round++) {
    await bellhop.stop();
    bellhop = await stocked.start();
    starts.push(bellhop.startMs);
  }
  const costs: Cost[] = [
    { name: 'start to ready', unit: 'ms', value: Math.min(...starts) },
    {
      name: 'start to ready, CPU',
      unit: 'ms of CPU',
      value: (await cpuMicrosOf(bellhop.process.pid)) / 1_000,
    },
  ];
  await sleep(1_000);
  costs.push({ name: 'memory, idle', unit: 'MB', value: await bellhop.memoryMb() });
  costs.push(...(await pageCosts(session, stocked, bellhop, size)));
  if (measures.includes('overview')) costs.push(await overviewCost(session, stocked, bellhop));
  if (measures.includes('events')) {
    costs.push(...(await eventCosts(session, stocked, bellhop)));
    const value = await bellhop.memoryMb();
    costs.push({ name: 'memory, after deliveries', unit: 'MB', value });
  }
  await bellhop.stop();
  if (measures.includes('retention')) costs.push(await retentionCost(session, stocked, size));
  return costs;
}

async function pageCosts(
  session: Session,
  stocked: StockedBellhop,
  bellhop: Bellhop,
  size: StockSize,
): Promise<Cost[]> {
  const examples = {
    keyId: String(FIRST_KEY_ID + 3),
    deliveryId: `del_${Math.floor(size.delivered / 2)}`,
    midoffice: STOCKED.midoffice,
    presentMidoffice: stocked.midoffices.ids[0] as string,
  };
  const costs: Cost[] = [];
  const ofPortal = await portalPages(bellhop, examples.presentMidoffice);
  for (const page of [...pages(examples), ...ofPortal]) {
    session.progress(page.name);
    // The code is compiled and the rows are in memory.
    for (let n = 0; n < 3; n++) await pageMs(bellhop, page);
    costs.push({ name: page.name, ...(await pageCost(stocked, bellhop, page)) });
  }
  return costs;
}

async function pageCost(
  stocked: StockedBellhop,
  bellhop: Bellhop,
  page: Page,
): Promise<Omit<Cost, 'name'>> {
  const times: number[] = [];
  const cpuMs: number[] = [];
  const endMs = performance.now() + MOST_PAGE_MS;
  const measure = async () => {
    const before = await usedMicros(stocked, bellhop);
    times.push(await pageMs(bellhop, page));
    cpuMs.push(((await usedMicros(stocked, bellhop)) - before) / 1_000);
  };
  if (page.isCached) {
    for (let n = 0; n < 3; n++) {
      const slowest = Math.max(20, ...times);
      await sleep(Math.min(CACHED_FOR * slowest, LONGEST_CACHE_WAIT_MS));
      await measure();
    }
  } else {
    // One by one, so that what goes on in the background now and then is not in the median.
    while (times.length < 3 || (times.length < MOST_CALLS && performance.now() < endMs)) {
      await measure();
    }
  }
  return {
    unit: 'ms of CPU',
    value: median(cpuMs),
    p50Ms: Number(median(times).toPrecision(3)),
  };
}

async function usedMicros({ postgres }: StockedBellhop, bellhop: Bellhop): Promise<number> {
  return (await cpuMicrosOf(bellhop.process.pid)) + (await cpuMicrosOfPostgres(postgres));
}

async function pageMs(bellhop: Bellhop, { path, cookie, body }: Page): Promise<number> {
  const startedMs = performance.now();
  const url = cookie ? portalUrl(bellhop, path) : `${bellhop.backOffice}/support/v1/sandbox${path}`;
  const reply = await request(url, {
    method: body ? 'POST' : 'GET',
    headers: {
      ...(cookie ? { cookie } : { authorization: `Bearer ${ADMIN_TOKEN}` }),
      'content-type': 'application/json',
    },
    body: body ? JSON.stringify(body) : null,
  });
  const text = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode} ${text}`);
  return performance.now() - startedMs;
}

async function overviewCost(
  session: Session,
  stocked: StockedBellhop,
  bellhop: Bellhop,
): Promise<Cost> {
  session.progress('calling the overview');
  const load = { url: bellhop.sandbox + OVERVIEW_PATH, authorizations: stocked.authorizations };
  await runWrk(load);
  const each: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const before = await cpuMicrosOf(bellhop.process.pid);
    const { callsPerSecond } = await runWrk(load, 1);
    each.push(((await cpuMicrosOf(bellhop.process.pid)) - before) / callsPerSecond);
  }
  return { name: 'overview', unit: 'µs of CPU', value: median(each) };
}

/** Accepting and delivering apart: the midoffices are paused while the events come in. */
async function eventCosts(
  session: Session,
  stocked: StockedBellhop,
  bellhop: Bellhop,
): Promise<Cost[]> {
  const { midoffices, postgres } = stocked;
  const used = async () => ({
    own: await cpuMicrosOf(bellhop.process.pid),
    postgres: await cpuMicrosOfPostgres(postgres),
  });
  const rounds: Record<string, number[]> = {};
  for (let round = 0; round <= ROUNDS; round++) {
    session.progress(`delivering, round ${round}`);
    await pauseAll(bellhop, midoffices, true);
    const delivered = await deliveredCount([bellhop]);
    const start = await used();
    await postEvents(bellhop, midoffices, midoffices.ids, EVENTS);
    const stored = await used();
    await pauseAll(bellhop, midoffices, false);
    await untilDelivered([bellhop], delivered + EVENTS);
    const end = await used();
    // The first round warms the code up.
    if (round === 0) continue;
    note('accept an event', stored.own - start.own);
    note('deliver a webhook', end.own - stored.own);
    if (!postgres) continue;
    note('accept an event, in PostgreSQL', stored.postgres - start.postgres);
    note('deliver a webhook, in PostgreSQL', end.postgres - stored.postgres);
  }
  function note(name: string, micros: number): void {
    rounds[name] = [...(rounds[name] ?? []), micros / EVENTS];
  }
  return Object.entries(rounds).map(([name, each]) => ({
    name,
    unit: 'µs of CPU',
    value: median(each),
  }));
}

/** Deletes the oldest deliveries in batches, as housekeeping does. */
async function retentionCost(
  session: Session,
  stocked: StockedBellhop,
  size: StockSize,
): Promise<Cost> {
  session.progress('deleting old deliveries');
  const store = await openStore(stocked);
  try {
    const rows = Math.min(size.delivered, RETENTION_BATCHES * RETENTION_ROWS);
    const { accepted_at: cutoffMs } = await store.db
      .selectFrom('delivery')
      .select('accepted_at')
      .orderBy('accepted_at')
      .offset(rows - 1)
      .limit(1)
      .executeTakeFirstOrThrow();
    const own = process.cpuUsage();
    const postgres = await cpuMicrosOfPostgres(stocked.postgres);
    let cursor = await store.housekeeping.deleteSettledBefore(cutoffMs);
    while (cursor) cursor = await store.housekeeping.deleteSettledBefore(cutoffMs, cursor);
    const { user, system } = process.cpuUsage(own);
    const micros = user + system + (await cpuMicrosOfPostgres(stocked.postgres)) - postgres;
    return { name: 'delete an old delivery', unit: 'µs of CPU', value: micros / rows };
  } finally {
    await store.close();
  }
}

function openStore({ folder, database }: StockedBellhop): Promise<Store> {
  const clock = systemClock;
  const log = createLogger('silent', () => {});
  if (!database) {
    const vault = new Vault(masterKeyIn(folder), 'sandbox');
    const options = { folder: join(folder, 'sandbox'), vault, clock, log };
    return openSqliteStore({ ...options, environment: 'sandbox' });
  }
  const masterKey = Buffer.from(database.env.BELLHOP_MASTER_KEY as string, 'base64');
  const vault = new Vault(masterKey, 'sandbox');
  return openPostgresStore({ url: database.url, environment: 'sandbox', vault, clock, log });
}
