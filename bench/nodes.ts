/** Several Bellhops on one database, and how they share its deliveries. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bellhop, startBellhop, support } from './bellhop.ts';
import type { Session } from './bench.ts';
import type { Database } from './postgres.ts';

const SHARE_TIMEOUT_MS = 60_000;

export async function startNodeOn(session: Session, { env }: Database): Promise<Bellhop> {
  return startBellhop(session, await session.folder(), {
    BELLHOP_SANDBOX_RECEIVER_ALLOW: '127.0.0.0/8',
    ...env,
  });
}

/** Waits until each node has its share of the shards. */
export async function untilShared(through: Bellhop, nodes: number): Promise<void> {
  const endMs = performance.now() + SHARE_TIMEOUT_MS;
  while (!(await areShared(through, nodes))) {
    if (performance.now() > endMs) throw new Error(`the shards are not shared by ${nodes} nodes`);
    await sleep(100);
  }
}

async function areShared(through: Bellhop, nodes: number): Promise<boolean> {
  const { items } = await support<{ items: { id: string; shards: number[] }[] }>(
    through,
    'GET',
    '/delivery-nodes',
  );
  const counts = items.map(({ shards }) => shards.length);
  return counts.length === nodes && Math.max(...counts) - Math.min(...counts) <= 1;
}
