/** Faults that can be injected into one node. After each, the node is up again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackOffice } from './back-office.ts';
import type { Database } from './database.ts';
import type { FaultKind, Ledger } from './ledger.ts';
import type { BellhopNode, Nodes } from './nodes.ts';
import type { Ownership } from './ownership.ts';
import { DATABASE } from './presence.ts';
import type { Random } from './random.ts';

const LONGEST_ABSENCE_MS = 500;
const LONGEST_FREEZE_MS = 2_500;
/** In addition to the lease: longer than others need to take over its lanes and to work on them. */
const LONGEST_OUTLASTING_MS = 8_000;
const LONGEST_AMBUSH_MS = 1_000;
/** Most reports are answered within this time. */
const LONGEST_ANSWER_MS = 12;
const START_TIMEOUT_MS = 40_000;

export interface ChaosParts {
  nodes: Nodes;
  backOffice: BackOffice;
  database: Database;
  ownership: Ownership;
  ledger: Ledger;
  random: Random;
}

type NodeBlow = (node: BellhopNode, parts: ChaosParts) => Promise<void>;

export const nodeFaults = { kill, stop, freeze, cutOff, cutConnections } satisfies Record<
  string,
  NodeBlow
>;

async function kill(node: BellhopNode, parts: ChaosParts): Promise<void> {
  const { backOffice, database, ledger, random } = parts;
  if (random.chance(0.6)) await ambush(backOffice, random);
  await database.calm();
  lose(node, 'bellhop killed', parts);
  ledger.inject('bellhop killed', node.name);
  await node.kill();
  await startAgain(node, parts);
}

async function stop(node: BellhopNode, parts: ChaosParts): Promise<void> {
  await parts.database.calm();
  lose(node, 'bellhop stopped', parts);
  parts.ledger.inject('bellhop stopped', node.name);
  await parts.database.withoutFailover(() => node.stop());
  await startAgain(node, parts);
}

async function freeze(node: BellhopNode, parts: ChaosParts): Promise<void> {
  const ms = absenceMs(parts);
  const outlastsLease = ms > (parts.database.leaseMs ?? ms);
  const kind = outlastsLease ? 'bellhop frozen for longer than a lease' : 'bellhop frozen';
  if (outlastsLease) lose(node, kind, parts);
  await parts.ledger.strikeFor(kind, node.name, () => node.freeze(ms));
}

async function cutOff(node: BellhopNode, parts: ChaosParts): Promise<void> {
  const ms = absenceMs(parts);
  const outlastsLease = ms > (parts.database.leaseMs ?? ms);
  const kind = outlastsLease
    ? 'bellhop cut off for longer than a lease'
    : 'bellhop cut off from its database';
  if (outlastsLease) lose(node, kind, parts);
  const what = parts.random.pick(['late', 'lost'] as const);
  await parts.ledger.strikeFor(kind, node.name, () => node.cutOff(ms, what));
}

async function cutConnections(node: BellhopNode, { ledger }: ChaosParts): Promise<void> {
  ledger.inject("bellhop's database connections cut", node.name);
  await node.link?.cutConnections();
}

/** If leases can end, it lasts long enough for that in half of the cases. */
function absenceMs({ database, random }: ChaosParts): number {
  if (database.leaseMs === null || random.chance(0.5))
    return random.between(100, LONGEST_FREEZE_MS);
  return database.leaseMs + random.between(500, LONGEST_OUTLASTING_MS);
}

export function lose(
  node: BellhopNode,
  kind: FaultKind,
  { ownership, ledger }: Pick<ChaosParts, 'ownership' | 'ledger'>,
): void {
  const lanes = ownership.lanesOf(node);
  if (lanes.length > 0) ledger.losses.push({ node: node.name, kind, atMs: Date.now(), lanes });
}

/** Between a report and its answer: if the event was stored, the next report of it must be a duplicate. */
async function ambush(backOffice: BackOffice, random: Random): Promise<void> {
  await Promise.race([backOffice.nextCall(), sleep(LONGEST_AMBUSH_MS)]);
  await sleep(random.between(0, LONGEST_ANSWER_MS));
}

async function startAgain(node: BellhopNode, parts: ChaosParts): Promise<void> {
  const { ledger, random } = parts;
  await sleep(random.between(0, LONGEST_ABSENCE_MS));
  if (random.chance(0.2)) await killWhileStarting(node, ledger, random);
  await bringUp(node, ledger);
}

/** It is still opening its database, or has just taken its first shards. */
async function killWhileStarting(node: BellhopNode, ledger: Ledger, random: Random): Promise<void> {
  const started = node.start();
  await sleep(random.between(100, 1_500));
  ledger.inject('bellhop killed while starting', node.name);
  await node.kill();
  await started;
}

/** A node may fail to start only while its database is away. */
export async function bringUp(node: BellhopNode, ledger: Ledger): Promise<void> {
  const giveUpAtMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const triedAtMs = Date.now();
    if (await node.start()) return;
    if (!ledger.presence.wasAway(DATABASE, triedAtMs, Date.now())) {
      ledger.violate('a node starts again', `${node.name} did not. ${node.logTail()}`);
    }
    if (Date.now() > giveUpAtMs) throw new Error(`${node.name} cannot be started.`);
    await sleep(200);
  }
}
