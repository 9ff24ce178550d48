/** Waits until nodes say that nothing is wrong with them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BellhopNode } from '../nodes.ts';

const READY_TIMEOUT_MS = 60_000;
const ASK_EVERY_MS = 50;

/** Resolves to the time at which the last of them was ready, or to undefined if one of them never is. */
export async function untilReady(nodes: readonly BellhopNode[]): Promise<number | undefined> {
  const giveUpAtMs = Date.now() + READY_TIMEOUT_MS;
  const times = await Promise.all(nodes.map((node) => oneReady(node, giveUpAtMs)));
  return times.includes(undefined) ? undefined : Math.max(...(times as number[]));
}

async function oneReady(node: BellhopNode, giveUpAtMs: number): Promise<number | undefined> {
  while (Date.now() < giveUpAtMs) {
    if ((await statusOf(node)) === 'ready') return Date.now();
    await sleep(ASK_EVERY_MS);
  }
  return undefined;
}

async function statusOf({ address }: BellhopNode): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(5_000);
    const reply = await fetch(`${address}/health/ready`, { signal });
    return ((await reply.json()) as { status: string }).status;
  } catch {
    return undefined;
  }
}
