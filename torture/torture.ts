/**
 * The whole run: set up → load with faults, round by round → heal and drain → check. The check reads from a
 * Bellhop that does not deliver, so that nothing changes meanwhile.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackOffice } from './back-office.ts';
import { tormentFor } from './chaos.ts';
import { check } from './check/check.ts';
import { anyPending } from './check/deliveries.ts';
import type { Figures } from './check/figures.ts';
import { checkSharing } from './check/sharing.ts';
import { type Database, embedded, startPostgres } from './database.ts';
import { bringUp } from './faults.ts';
import { Ledger } from './ledger.ts';
import { startLoad } from './load.ts';
import { BellhopNode, Nodes, type Settings } from './nodes.ts';
import type { Options } from './options.ts';
import { Ownership } from './ownership.ts';
import { Random } from './random.ts';
import { startReceivers } from './receivers.ts';
import { writeDetails } from './report.ts';
import { createWorld, environments, RECEIVER_TIMEOUT_MS, SCHEDULES_MS } from './world.ts';

export interface Result {
  ledger: Ledger;
  figures: Figures;
  tookMs: number;
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
  const folder = mkdtempSync(join(tmpdir(), 'bellhop-torture-'));
  const ledger = new Ledger();
  const random = new Random(options.seed);
  const token = randomBytes(24).toString('hex');
  const closers: (() => Promise<void>)[] = [];
  const stage = (name: string) => tell({ stage: name, ledger });
  try {
    stage('starting');
    const receivers = await startReceivers(ledger, random.fork('receivers'));
    closers.push(receivers.close);
    const database = await startDatabase(options, ledger);
    closers.push(database.end);
    const settings = { ...settingsFor(folder, token), ...database.settings };
    const parts = { settings, logFolder: folder, ledger };
    const all: BellhopNode[] = [];
    for (let i = 1; i <= options.nodes; i++) {
      all.push(new BellhopNode(`node-${i}`, { ...parts, link: await database.link() }));
    }
    const nodes = new Nodes(all, random.fork('nodes'));
    closers.push(() => nodes.kill());
    // All at once: they find an empty database and race to create its tables.
    await Promise.all(nodes.all.map((node) => bringUp(node, ledger)));

    const backOffice = new BackOffice(nodes, token);
    const world = await createWorld(backOffice, receivers.urlOf);
    receivers.open(world.offices);
    const ownership = new Ownership(backOffice, world.offices);
    closers.push(async () => ownership.stop());
    ownership.watch();
    const load = startLoad({ backOffice, world, ledger, random: random.fork('load') });
    const chaos = { nodes, backOffice, database, ownership, ledger };
    for (let round = 1; round <= options.rounds; round++) {
      stage(`round ${round} of ${options.rounds}`);
      const ticking = setInterval(() => stage(`round ${round} of ${options.rounds}`), 500);
      await tormentFor(options.secondsPerRound * 1_000, round, {
        ...chaos,
        random: random.fork(`round ${round}`),
      }).finally(() => clearInterval(ticking));
    }

    stage('draining');
    receivers.heal();
    await load.finish();
    await drain(backOffice, options.drainSeconds);
    await checkSharing(backOffice, nodes, world.offices, ledger);
    const atMs = Date.now();
    ownership.stop();
    await nodes.stop();

    stage('checking');
    const clerk = new BellhopNode('clerk', {
      ...parts,
      settings: { ...settings, BELLHOP_ROLES: 'back-office' },
    });
    closers.push(() => clerk.kill());
    await bringUp(clerk, ledger);
    const books = new BackOffice(new Nodes([clerk], random.fork('clerk')), token);
    const figures = await check(books, ledger, all, { atMs, leaseMs: database.leaseMs });
    await clerk.stop();
    const clean = ledger.violations.length === 0;
    if (!clean) writeFileSync(join(folder, 'violations.txt'), writeDetails(ledger));
    if (clean) closers.unshift(async () => rmSync(folder, { recursive: true, force: true }));
    return { ledger, figures, tookMs: Date.now() - startedAtMs, folder: clean ? null : folder };
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

function startDatabase(options: Options, ledger: Ledger): Promise<Database> {
  if (options.engine === 'sqlite') return Promise.resolve(embedded);
  return startPostgres(ledger, randomBytes(32).toString('base64'));
}

function settingsFor(folder: string, token: string): Settings {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir);
  const settings: Settings = {
    BELLHOP_DATA_DIR: dataDir,
    BELLHOP_PRODUCTION_PORT: '0',
    BELLHOP_SANDBOX_PORT: '0',
    BELLHOP_BACK_OFFICE_PORT: '0',
    BELLHOP_ADMIN_TOKEN: token,
    BELLHOP_DEMO: 'off',
  };
  for (const environment of environments) {
    const prefix = `BELLHOP_${environment.toUpperCase()}_`;
    settings[`${prefix}RETRY_SCHEDULE`] = SCHEDULES_MS[environment]
      .map((waitMs) => `${waitMs}ms`)
      .join();
    settings[`${prefix}RECEIVER_TIMEOUT`] = `${RECEIVER_TIMEOUT_MS}ms`;
    settings[`${prefix}RECEIVER_ALLOW`] = '127.0.0.0/8';
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
