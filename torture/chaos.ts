/** One round of faults: each node and the database fail at random moments. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import { type ChaosParts, nodeFaults } from './faults.ts';
import type { BellhopNode, Nodes } from './nodes.ts';
import type { Random } from './random.ts';

/** In three rounds of four, one node has no faults: someone must be there to take over from the others. */
const ROUNDS_IN_TURN = 4;

/** Takes at least `roundMs`; afterwards everything is up again. The first round is 1. */
export async function tormentFor(roundMs: number, round: number, parts: ChaosParts): Promise<void> {
  const { nodes, database, random } = parts;
  const spared = sparedIn(round, nodes);
  await Promise.all([
    sleep(roundMs),
    ...nodes.all
      .filter((node) => node !== spared)
      .map((node) => tormentNode(node, roundMs, { ...parts, random: random.fork(node.name) })),
    tormentDatabase(database, roundMs, random.fork('database')),
  ]);
}

function sparedIn(round: number, { all }: Nodes): BellhopNode | undefined {
  const isForAll = (round - 1) % ROUNDS_IN_TURN === 0;
  if (all.length === 1 || isForAll) return undefined;
  return all[Math.floor((round - 1) / ROUNDS_IN_TURN) % all.length];
}

async function tormentNode(node: BellhopNode, roundMs: number, parts: ChaosParts): Promise<void> {
  const { random } = parts;
  const faults = random.weighted({ one: 7, two: 2, none: 1 });
  for (let left = { none: 0, one: 1, two: 2 }[faults]; left > 0; left--) {
    await sleep(random.between(0, roundMs / left));
    const fault = node.link
      ? random.weighted({ kill: 6, stop: 2, freeze: 3, cutOff: 3, cutConnections: 2 })
      : random.weighted({ kill: 7, stop: 2, freeze: 1 });
    await nodeFaults[fault](node, parts);
  }
}

async function tormentDatabase({ hurt }: Database, roundMs: number, random: Random): Promise<void> {
  if (!hurt || random.chance(0.4)) return;
  await sleep(random.between(0, roundMs));
  await hurt(random);
}
