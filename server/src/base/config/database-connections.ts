/**
 * How a process divides the connections that it may have to the database of an environment. The thread of the partner
 * API and that of the services each have a connection to watch for changes, and the services one for leases. Every pool
 * gets one connection; what is left is dealt out in turns, up to what a pool can make use of.
 */

/** What a thread does: answers partners' calls, or everything else. */
export type ThreadWork = 'calls' | 'services';

export interface PoolSizes {
  /** For queries that a partner's call waits for. */
  calls: number;
  /** For accepting and delivering. */
  delivery: number;
  /** For the leases of shards. */
  leases: number;
  /** For everything else: the back office, housekeeping, the start. */
  general: number;
  /** Polls for changes, and listens for new work. */
  watch: number;
}

type Pool = keyof PoolSizes;

const FEWEST: Record<ThreadWork, PoolSizes> = {
  calls: { calls: 1, delivery: 0, leases: 0, general: 1, watch: 1 },
  services: { calls: 0, delivery: 1, leases: 1, general: 1, watch: 1 },
};

/**
 * In the order in which they are dealt out. With two for delivery, 92 % of the checkouts wait for less
 * than a millisecond, because accepting and settling are each one transaction at a time. A third helps while a long
 * backlog is delivered.
 */
const GROWING: readonly { work: ThreadWork; pool: Pool; most: number }[] = [
  { work: 'services', pool: 'delivery', most: 6 },
  { work: 'services', pool: 'general', most: 10 },
  { work: 'calls', pool: 'calls', most: 4 },
];

/** A process with all roles cannot work with fewer, and has no use for more. */
export const FEWEST_CONNECTIONS = totalOf(FEWEST.calls) + totalOf(FEWEST.services);
export const MOST_CONNECTIONS = GROWING.reduce(
  (sum, { work, pool, most }) => sum + most - FEWEST[work][pool],
  FEWEST_CONNECTIONS,
);

/** The work of each thread of a process with these roles. */
export function threadWorkOf(roles: readonly string[]): ThreadWork[] {
  const works: ThreadWork[] = [];
  if (roles.includes('partner-api')) works.push('calls');
  if (roles.some((role) => role !== 'partner-api')) works.push('services');
  return works;
}

export function divideConnections(
  connections: number,
  works: readonly ThreadWork[],
): Record<ThreadWork, PoolSizes> {
  const sizes = { calls: { ...FEWEST.calls }, services: { ...FEWEST.services } };
  let left = connections;
  for (const work of works) left -= totalOf(sizes[work]);
  const isGrowing = ({ work, pool, most }: (typeof GROWING)[number]) =>
    works.includes(work) && sizes[work][pool] < most;
  while (left > 0 && GROWING.some(isGrowing)) {
    for (const one of GROWING) {
      if (left === 0 || !isGrowing(one)) continue;
      sizes[one.work][one.pool]++;
      left--;
    }
  }
  return sizes;
}

export function totalOf(sizes: PoolSizes): number {
  return Object.values(sizes).reduce((sum, size) => sum + size, 0);
}
