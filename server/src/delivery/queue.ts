/**
 * What the worker needs of the store: the queue of one environment, and the shards that say which
 * node may work on which part of it. docs/delivery-queue.md has the tables and the races.
 */
import type { Due, LaneConfig, Settlement } from './stages.ts';

export interface DeliveryQueue {
  /** Midoffices as the worker needs them; those that do not exist are missing. */
  lanes(midofficeIds: readonly string[]): Promise<LaneConfig[]>;
  /** The midoffices of these shards that have work waiting, each with the time it is next due. */
  workOf(shards: readonly number[]): Promise<WaitingWork[]>;
  /** The rows of each lane that are due first. Events that must wait for their order are parked. */
  due(lanes: readonly LaneRequest[], nowMs: number): LaneWork[] | Promise<LaneWork[]>;
  /**
   * Records attempts and what they mean, each under the epoch in which it was started. Returns what
   * was written; a settlement whose shard has a new owner is missing, and nothing of it was written.
   */
  settle(settlements: readonly Settlement[], nowMs: number): Settled[] | Promise<Settled[]>;
  /** Resolves once all that was settled before would survive not only a crash but a power cut. */
  synced(): Promise<void>;
  /** Queues the rows of a lane under the rule that its midoffice has now, a batch at a time. */
  restateOrder(midofficeId: string, nowMs: number): Promise<void>;
  /**
   * Frees events that wait for one that is gone: a safety net, since nothing should leave any. Returns
   * the midoffices that had some.
   */
  freeStranded(shard: number, nowMs: number): Promise<string[]>;
  /** Tells the owners of these midoffices, on whichever node, to look for work. */
  announce(midofficeIds: readonly string[]): Promise<void>;
  onNotice(listener: (notice: Notice) => void): () => void;
  /** Records which key signed what the midoffice's receiver took last. */
  markWorked(midofficeId: string, keyFingerprint: string): Promise<void>;
  /** Records when a midoffice began to fail, or that it no longer does. */
  markFailing(midofficeId: string, sinceMs: number | null): Promise<void>;
}

export interface WaitingWork {
  midofficeId: string;
  /** Null if all of it is parked. */
  nextDueAtMs: number | null;
}

export interface LaneRequest {
  midofficeId: string;
  shard: number;
  /** The epoch of the shard, which each row is to be settled under. */
  epoch: number;
  /** Rows wanted on top of those known. */
  limit: number;
  /** In memory already: queued or in flight. */
  known: ReadonlySet<number>;
}

export interface LaneWork {
  midofficeId: string;
  due: Due[];
  /** When it is worth reading again; null if nothing else waits. */
  nextDueAtMs: number | null;
}

/** What a settlement came to, which support may have changed while the attempt was under way. */
export interface Settled {
  settlement: Settlement;
  state: 'delivered' | 'pending' | 'exhausted' | 'cancelled';
  /** When the next attempt is due, while it is pending. */
  dueAtMs: number | null;
}

/**
 * `work`: the midoffices may have new work. `changed`: what a lane holds in memory may be out of
 * date as well. `lost`: any notice may have been missed. `shards`: some are free to be taken.
 */
export type Notice =
  | { kind: 'work' | 'changed'; midofficeIds: readonly string[] }
  | { kind: 'lost' }
  | { kind: 'shards' };

/** The lease of one shard, as long as the node that holds it renews it. */
export interface HeldShard {
  shard: number;
  epoch: number;
}

export interface ShardLeases {
  /** How long a lease lasts from a renewal; never ends where one process owns everything. */
  readonly leaseMs: number;
  /**
   * Renews what the node holds and says how many nodes share the work. A node that retires does not
   * count among them. `inFlight` is for people.
   */
  renew(
    node: NodeIdentity,
    state: { inFlight: ReadonlyMap<number, number>; isRetiring: boolean },
  ): Promise<Renewal>;
  /** Takes up to `count` shards that are free or whose lease has ended. */
  take(node: NodeIdentity, count: number): Promise<HeldShard[]>;
  /** Gives shards back at once, for others to take. */
  release(node: NodeIdentity, shards: readonly number[]): Promise<void>;
  /** Gives everything back: the node stops. */
  leave(node: NodeIdentity): Promise<void>;
}

export interface NodeIdentity {
  id: string;
  host: string;
}

export interface Renewal {
  held: HeldShard[];
  /** Nodes that are alive, this one included unless it retires. */
  nodes: number;
  /** Shards that nobody holds, or whose lease has ended. */
  free: number;
}

/** Midoffices fall into this many shards; a midoffice's never changes. */
export const SHARDS = 64;

/** FNV-1a, spread evenly enough over ids that are random anyway. */
export function shardOf(midofficeId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < midofficeId.length; i++) {
    hash = Math.imul(hash ^ midofficeId.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}
