/** One round of bad luck: each node and the database are struck at moments of their own. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackOffice } from './back-office.ts';
import type { Database } from './database.ts';
import type { Ledger } from './ledger.ts';
import type { BellhopNode, Nodes } from './nodes.ts';
import type { Random } from './random.ts';

const LONGEST_ABSENCE_MS = 500;
const LONGEST_FREEZE_MS = 2_500;
const LONGEST_AMBUSH_MS = 1_000;
/** Most reports are answered within it. */
const LONGEST_ANSWER_MS = 12;
const START_TIMEOUT_MS = 40_000;

export interface ChaosParts {
  nodes: Nodes;
  backOffice: BackOffice;
  database: Database;
  ledger: Ledger;
  random: Random;
}

/** Takes at least `roundMs`; afterwards everything is up again. */
export async function tormentFor(roundMs: number, parts: ChaosParts): Promise<void> {
  const { nodes, database, random } = parts;
  await Promise.all([
    sleep(roundMs),
    ...nodes.all.map((node) =>
      tormentNode(node, roundMs, { ...parts, random: random.fork(node.name) }),
    ),
    tormentDatabase(database, roundMs, random.fork('database')),
  ]);
}

async function tormentNode(node: BellhopNode, roundMs: number, parts: ChaosParts): Promise<void> {
  const { backOffice, database, ledger, random } = parts;
  const blows = random.weighted({ one: 7, two: 2, none: 1 });
  for (let left = { none: 0, one: 1, two: 2 }[blows]; left > 0; left--) {
    await sleep(random.between(0, roundMs / left));
    const blow = random.weighted({ kill: 7, stop: 2, freeze: 1 });
    if (blow === 'freeze') {
      await node.freeze(freezeMs(parts), () => ledger.strike('bellhop frozen'));
      continue;
    }
    if (blow === 'kill') {
      if (random.chance(0.6)) await ambush(backOffice, random);
      ledger.strike('bellhop killed');
      await node.kill();
    } else {
      ledger.strike('bellhop stopped');
      await node.stop();
    }
    await sleep(random.between(0, LONGEST_ABSENCE_MS));
    if (random.chance(0.2)) await killWhileStarting(node, ledger, random);
    await bringUp(node, database, ledger);
  }
}

/** Where another node can take over its work, half of the time long enough for that. */
function freezeMs({ nodes, database, random }: ChaosParts): number {
  const outlastsLease = nodes.all.length > 1 && random.chance(0.5);
  return random.between(100, LONGEST_FREEZE_MS) + (outlastsLease ? database.leaseMs : 0);
}

/** Between a report and its answer: what was stored has to be known by the next report of it. */
async function ambush(backOffice: BackOffice, random: Random): Promise<void> {
  await Promise.race([backOffice.nextCall(), sleep(LONGEST_AMBUSH_MS)]);
  await sleep(random.between(0, LONGEST_ANSWER_MS));
}

/** It has hardly opened its database, or has claimed its first work. */
async function killWhileStarting(node: BellhopNode, ledger: Ledger, random: Random): Promise<void> {
  const started = node.start();
  await sleep(random.between(100, 1_500));
  ledger.strike('bellhop killed while starting');
  await node.kill();
  await started;
}

/** A node may fail to start while its database is away, and at no other time. */
export async function bringUp(
  node: BellhopNode,
  database: Database,
  ledger: Ledger,
): Promise<void> {
  const giveUpAtMs = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const triedAtMs = Date.now();
    if (await node.start()) return;
    if (!database.wasAwaySince(triedAtMs)) {
      ledger.violate('a node starts again', `${node.name} did not. ${node.logTail()}`);
    }
    if (Date.now() > giveUpAtMs) throw new Error(`${node.name} cannot be started.`);
    await sleep(200);
  }
}

async function tormentDatabase({ hurt }: Database, roundMs: number, random: Random): Promise<void> {
  if (!hurt || random.chance(0.4)) return;
  await sleep(random.between(0, roundMs));
  await hurt(random);
}
