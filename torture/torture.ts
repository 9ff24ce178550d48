/**
 * The whole run: set up → load with faults, round by round → heal and drain → check. The check reads from a
 * Bellhop that does not deliver, so that nothing changes meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { HOW_TO_GET, startBalancer } from '../cluster/balancer.ts';
import { choosePorts } from '../cluster/node.ts';
import { roles } from '../cluster/options.ts';
import { environments, FREE_PORTS, type Settings } from '../kit/bellhop.ts';
import type { PostgresOptions } from '../kit/postgres.ts';
import { LOOPBACK_RECEIVERS } from '../server/testing/settings.ts';
import { BackOffice } from './back-office.ts';
import { tormentFor } from './chaos.ts';
import { check } from './check/check.ts';
import { anyPending } from './check/deliveries.ts';
import type { Figures } from './check/figures.ts';
import { checkSharing } from './check/sharing.ts';
import { type Database, embedded, startPostgres } from './database.ts';
import { bringUp } from './faults.ts';
import { Ledger } from './ledger.ts';
import { createLimitedKeys } from './limited-keys.ts';
import { FEW_CLIENTS, MANY_CLIENTS, startLoad } from './load.ts';
import { BellhopNode, Nodes } from './nodes.ts';
import type { Options } from './options.ts';
import { Ownership } from './ownership.ts';
import { startPartnerCalls } from './partner-calls.ts';
import { Random } from './random.ts';
import { startReceivers } from './receivers.ts';
import { type RedisSide, startRedis } from './redis.ts';
import { writeDetails } from './report.ts';
import { RevokedKeys } from './revoked-keys.ts';
import { runFault, type Trial } from './single-faults/run.ts';
import type { SingleFault, Stage } from './single-faults/single-fault.ts';
import { singleFaults } from './single-faults/single-faults.ts';
import { createWorld, RECEIVER_TIMEOUT_MS, SCHEDULES_MS } from './world.ts';

export interface Result {
  ledger: Ledger;
  figures: Figures;
  tookMs: number;
  /** The longest time for which the machine did not let the torture itself run. */
  heldUpMs: number;
  /** Logs and data, kept if a rule was violated; otherwise null. */
  folder: string | null;
}

export interface Progress {
  stage: string;
  ledger: Ledger;
}

export async function torture(
  options: Options,
  tell: (progress: Progress) => void,
): Promise<Result> {
  const startedAtMs = Date.now();
  const delays = monitorEventLoopDelay();
  delays.enable();
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-torture-'));
  const ledger = new Ledger();
  const random = new Random(options.seed);
  const token = randomBytes(24).toString('hex');
  const closers: (() => Promise<void>)[] = [];
  const fault: SingleFault | undefined = options.fault && singleFaults[options.fault];
  const stage = (name: string) => tell({ stage: name, ledger });
  try {
    stage('starting');
    const receivers = await startReceivers(ledger, random.fork('receivers'));
    closers.push(receivers.close);
    const closing = new AsyncDisposableStack();
    closers.push(() => closing.disposeAsync());
    const database = await startDatabase(
      options,
      ledger,
      fault?.placePostgres?.(folder, closing),
      fault,
    );
    closers.push(database.end);
    const redis = options.engine === 'postgres' ? await startRedis() : undefined;
    if (redis) closers.push(redis.end);
    const servers = fault && serversFor(fault, database, redis);
    if (servers) await fault.prepare?.({ ...servers, closing });
    const settings = {
      ...settingsFor(folder, token),
      ...database.settings,
      ...fault?.nodeSettings?.(folder),
    };
    const parts = { settings, logFolder: folder, ledger };
    const all: BellhopNode[] = [];
    const balanced = [];
    for (let i = 1; i <= options.nodes; i++) {
      const name = `node-${i}`;
      const { ports, addresses } = await choosePorts(roles);
      balanced.push({ name, addresses });
      all.push(
        new BellhopNode(name, {
          ...parts,
          settings: fault ? { ...settings, ...ports } : settings,
          link: await database.link(),
          redis: await redis?.link(),
        }),
      );
    }
    const nodes = new Nodes(all, random.fork('nodes'));
    closers.push(() => nodes.kill());
    // All at once: they find an empty database and race to create its tables.
    await Promise.all(nodes.all.map((node) => bringUp(node, ledger)));

    const balancer = fault && (await startBalancer(balanced));
    if (balancer) closers.push(() => balancer.server.end());
    else if (fault?.flawless) throw new Error(HOW_TO_GET);
    const backOffice = new BackOffice(nodes, token);
    const world = await createWorld(backOffice, receivers.urlOf);
    const keys = await createLimitedKeys(backOffice);
    receivers.open(world.offices);
    const ownership = new Ownership(backOffice, world.offices);
    closers.push(async () => ownership.stop());
    ownership.watch();
    const load = startLoad({
      ...{ backOffice, world, ledger },
      clients: fault ? FEW_CLIENTS : MANY_CLIENTS,
      random: random.fork('load'),
    });
    const calls = startPartnerCalls({
      keys,
      addressOf: (environment) =>
        balancer?.addresses[environment] ?? nodes.anyPartnerApi(environment),
      ledger,
      random: random.fork('partner calls'),
    });
    const chaos = { nodes, backOffice, database, ownership, ledger };
    let trial: Trial | undefined;
    if (options.fault && servers) {
      const revokedKeys = new RevokedKeys(backOffice, nodes, ledger);
      const victim = all[0] as BellhopNode;
      const parts = { ...chaos, ...servers, revokedKeys, victim, folder, closing };
      trial = await runFault(options.fault, parts, {
        peaceMs: options.secondsPerRound * 1_000,
        tell: stage,
      });
    }
    for (let round = 1; round <= options.rounds && !trial; round++) {
      stage(`round ${round} of ${options.rounds}`);
      const ticking = setInterval(() => stage(`round ${round} of ${options.rounds}`), 500);
      await tormentFor(options.secondsPerRound * 1_000, round, {
        ...chaos,
        random: random.fork(`round ${round}`),
      }).finally(() => clearInterval(ticking));
    }

    stage('draining');
    receivers.heal();
    await Promise.all([load.finish(), calls.finish()]);
    await drain(backOffice, options.drainSeconds);
    await checkSharing(backOffice, nodes, world.offices, ledger);
    const atMs = Date.now();
    ownership.stop();
    await nodes.stop();

    stage('checking');
    const clerk = new BellhopNode('clerk', {
      ...parts,
      settings: {
        ...settings,
        ...database.settings,
        ...fault?.settingsAfter,
        BELLHOP_ROLES: 'back-office',
      },
    });
    closers.push(() => clerk.kill());
    await bringUp(clerk, ledger);
    const books = new BackOffice(new Nodes([clerk], random.fork('clerk')), token);
    const end = { atMs, leaseMs: database.leaseMs };
    const figures = await check(books, ledger, all, end, trial);
    await clerk.stop();
    const clean = ledger.violations.length === 0;
    if (!clean) writeFileSync(join(folder, 'violations.txt'), writeDetails(ledger));
    if (clean) closers.unshift(async () => rmSync(folder, { recursive: true, force: true }));
    const tookMs = Date.now() - startedAtMs;
    const heldUpMs = delays.max / 1e6;
    return { ledger, figures, tookMs, heldUpMs, folder: clean ? null : folder };
  } finally {
    delays.disable();
    for (const close of closers.reverse()) await close();
  }
}

function startDatabase(
  { engine, nodes }: Options,
  ledger: Ledger,
  place: PostgresOptions | undefined,
  fault: SingleFault | undefined,
): Promise<Database> {
  if (engine === 'sqlite') return Promise.resolve(embedded);
  return startPostgres({
    ...{ ledger, nodes, ...place },
    masterKey: randomBytes(32).toString('base64'),
    settings: fault?.postgresSettings ?? [],
  });
}

/** A single fault needs both servers. */
function serversFor(
  { about }: SingleFault,
  { postgres }: Database,
  redis: RedisSide | undefined,
): Pick<Stage, 'postgres' | 'redis'> {
  if (!postgres || !redis) throw new Error(`Redis is not installed. It is needed for: ${about}`);
  return { postgres, redis };
}

function settingsFor(folder: string, token: string): Settings {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const settings: Settings = {
    BELLHOP_DATA_DIR: dataDir,
    ...FREE_PORTS,
    ...LOOPBACK_RECEIVERS,
    BELLHOP_ADMIN_TOKEN: token,
    BELLHOP_DEMO: 'off',
    BELLHOP_TRUSTED_PROXIES: '127.0.0.1',
  };
  for (const environment of environments) {
    const prefix = `BELLHOP_${environment.toUpperCase()}_`;
    settings[`${prefix}RETRY_SCHEDULE`] = SCHEDULES_MS[environment]
      .map((waitMs) => `${waitMs}ms`)
      .join();
    settings[`${prefix}RECEIVER_TIMEOUT`] = `${RECEIVER_TIMEOUT_MS}ms`;
  }
  return settings;
}

async function drain(backOffice: BackOffice, seconds: number): Promise<void> {
  const giveUpAtMs = Date.now() + seconds * 1_000;
  while (Date.now() < giveUpAtMs) {
    const pending = await Promise.all(environments.map((name) => anyPending(backOffice, name)));
    if (!pending.includes(true)) return;
    await sleep(200);
  }
}
