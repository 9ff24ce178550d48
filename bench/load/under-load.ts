/** A Bellhop with everything that puts load on it and watches it, for `npm run overload` and `npm run soak`. */
import { mkdir, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { query } from '../../kit/postgres.ts';
import { startRedisServer } from '../../kit/redis.ts';
import { ADMIN_TOKEN, type Bellhop, OVERVIEW_PATH, startBellhop, support } from '../bellhop.ts';
import type { Session } from '../bench.ts';
import { cpuMicrosOf } from '../cpu-time.ts';
import { createMidoffices, type Midoffices } from '../midoffices.ts';
import { type Database, startPostgres } from '../postgres.ts';
import { startNode } from '../processes.ts';
import { Latencies, type Percentiles } from './latencies.ts';
import type { ThreadReport } from './probe.ts';

export type Setup = 'embedded' | 'PostgreSQL' | 'PostgreSQL and Redis';

const MIDOFFICES = 10;
const EVENTS_IN_A_REQUEST = 25;
const MANY_CALLS = 1_000_000;
/** So long that each admission is journaled: the most expensive kind of limit. */
const WINDOW_SECONDS = 3_600;

export interface UnderLoad {
  bellhop: Bellhop;
  midoffices: Midoffices;
  partners: Caller<Percentiles & { failed: number; leftOut: number; open: number }>;
  orders: Caller<PostedEvents>;
  backOffice: BackOffice;
  look(): Promise<Look>;
}

export interface Caller<Taken> {
  setRate(perSecond: number): Promise<void>;
  take(): Promise<Taken>;
}

export interface PostedEvents {
  batch: number;
  accepted: Percentiles;
  refused: Percentiles;
  withoutRetryAfter: number;
  failed: number;
  leftOut: number;
  open: number;
}

/** One look at the process and its database. */
export interface Look {
  /** Processor time used so far. */
  cpuSeconds: number;
  rssMb: number;
  /** Of all threads, after their last full collection. */
  heapMb: number;
  handles: number;
  partnerLoopP99Ms: number;
  servicesLoopP99Ms: number;
  databaseMb: number;
}

export async function startUnderLoad(session: Session, setup: Setup): Promise<UnderLoad> {
  const receiver = await startNode(session, 'bench/servers/receiver.ts', []);
  const folder = await session.folder();
  const probeFolder = join(folder, 'probe');
  await mkdir(probeFolder);
  const database =
    setup === 'embedded' ? undefined : await (await startPostgres(session)).newDatabase();
  const env: Record<string, string> = {
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    BELLHOP_ENVIRONMENTS: 'sandbox',
    ...database?.env,
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'probe.ts')}`,
    BENCH_PROBE_FOLDER: probeFolder,
  };
  if (setup === 'PostgreSQL and Redis') {
    const redis = await startRedisServer();
    session.undo(() => redis.end());
    env.BELLHOP_SANDBOX_REDIS_URL = redis.url;
  }
  const bellhop = await startBellhop(session, folder, env);
  const urls = Array.from({ length: MIDOFFICES }, () => `${receiver.ready}/hook`);
  const midoffices = await createMidoffices(bellhop, urls);
  await limitOverview(bellhop, midoffices);
  const caller = await startNode(session, 'bench/servers/steady-caller.ts', [
    bellhop.sandbox + OVERVIEW_PATH,
    midoffices.authorization,
  ]);
  const poster = await startNode(session, 'bench/servers/event-poster.ts', [
    bellhop.backOffice,
    ADMIN_TOKEN,
    midoffices.partnerId,
    midoffices.ids.join(),
    String(EVENTS_IN_A_REQUEST),
  ]);
  return {
    bellhop,
    midoffices,
    partners: callerAt(caller.ready, 'calls'),
    orders: callerAt(poster.ready, 'events'),
    backOffice: loadPages(session, bellhop, midoffices),
    look: () => look(bellhop, probeFolder, folder, database),
  };
}

/** The key that `createMidoffices` made calls without a limit. */
async function limitOverview(bellhop: Bellhop, { authorization }: Midoffices): Promise<void> {
  const [keyId] = Buffer.from(authorization.slice('Basic '.length), 'base64').toString().split(':');
  await support(bellhop, 'PUT', `/keys/${keyId}/endpoints`, {
    endpoint: 'api/b2b/v3/overview/',
    is_limited: true,
    requests_number: MANY_CALLS,
    seconds_number: WINDOW_SECONDS,
  });
}

function callerAt<Taken>(address: string, unit: string): Caller<Taken> {
  const get = async (path: string) =>
    (await (await request(address + path)).body.json()) as Promise<Taken>;
  return {
    async setRate(perSecond) {
      await get(`/rate?${unit}=${perSecond}`);
    },
    take: () => get('/take'),
  };
}

export interface BackOffice {
  start(everyMs: number): void;
  stop(): void;
  take(): Percentiles & { failed: number };
}

/** Support at work: one page after another, one of each kind. */
function loadPages(session: Session, bellhop: Bellhop, { ids }: Midoffices): BackOffice {
  const latencies = new Latencies();
  const paths = [
    '/stats',
    '/deliveries',
    '/deliveries?state=pending',
    '/midoffices',
    `/midoffices/${ids[0]}`,
    '/audit',
    '/search?q=Midoffice',
  ];
  let n = 0;
  let failed = 0;
  let timer: NodeJS.Timeout | undefined;
  const stop = () => clearInterval(timer);
  session.undo(stop);
  async function load(): Promise<void> {
    const startedMs = performance.now();
    const path = paths[n++ % paths.length];
    try {
      const reply = await request(`${bellhop.backOffice}/support/v1/sandbox${path}`, {
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      });
      await reply.body.dump();
      if (reply.statusCode === 200) latencies.add(performance.now() - startedMs);
      else failed++;
    } catch {
      failed++;
    }
  }
  return {
    start(everyMs) {
      timer = setInterval(() => void load(), everyMs);
    },
    stop,
    take() {
      const taken = { ...latencies.take(), failed };
      failed = 0;
      return taken;
    },
  };
}

async function look(
  bellhop: Bellhop,
  probeFolder: string,
  folder: string,
  database: Database | undefined,
): Promise<Look> {
  const threads: ThreadReport[] = [];
  for (const file of (await readdir(probeFolder)).sort()) {
    // A report may be half written: the next look has it.
    const text = await readFile(join(probeFolder, file), 'utf8');
    if (text.endsWith('}')) threads.push(JSON.parse(text) as ThreadReport);
  }
  const sum = (of: (report: ThreadReport) => number) =>
    threads.reduce((total, report) => total + of(report), 0);
  const files = await readdir(`/proc/${bellhop.process.pid}/fd`).catch(() => []);
  return {
    cpuSeconds: (await cpuMicrosOf(bellhop.process.pid)) / 1e6,
    rssMb: await bellhop.memoryMb(),
    heapMb: sum(({ heapMb, heapAfterCollectionMb }) => heapAfterCollectionMb ?? heapMb),
    handles: files.length + sum(({ handles }) => handles),
    partnerLoopP99Ms: threads[0]?.loopDelayP99Ms ?? Number.NaN,
    servicesLoopP99Ms: Math.max(...threads.slice(1).map(({ loopDelayP99Ms }) => loopDelayP99Ms)),
    databaseMb: database ? await postgresMb(database) : await folderMb(join(folder, 'sandbox')),
  };
}

async function folderMb(folder: string): Promise<number> {
  const files = await readdir(folder);
  const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
  return sizes.reduce((sum, size) => sum + size, 0) / 1_048_576;
}

async function postgresMb({ url }: Database): Promise<number> {
  const sql = 'select pg_database_size(current_database()) as bytes';
  const [{ bytes }] = await query(url, sql);
  return Number(bytes) / 1_048_576;
}
