/**
 * What the worker needs from the store: the queue of one environment, and the shards that say which node
 * works on which part of it. docs/delivery-queue.md describes the tables and the races.
 */

import type { Due, LaneConfig, Settlement } from './stages.ts';
import type { AttemptedState } from './states.ts';

export interface DeliveryQueue {
  /** Midoffices as the worker needs them. The result leaves out those that do not exist. */
  lanes(midofficeIds: readonly string[]): Promise<LaneConfig[]>;
  /** The midoffices of these shards that have pending work, each with its next due time. */
  workOf(shards: readonly number[]): Promise<WaitingWork[]>;
  /** The rows of each lane that are due first. Parks events that must wait for their order. */
  due(lanes: readonly LaneRequest[], nowMs: number): LaneWork[] | Promise<LaneWork[]>;
  /**
   * Records attempts and their effect, each under the epoch in which it began. Returns what was written.
   * If a shard has a new owner, its settlements are left out and nothing of them is written.
   */
  settle(settlements: readonly Settlement[], nowMs: number): Settled[] | Promise<Settled[]>;
  /** Resolves once everything settled before the call would survive a power cut, not only a crash. */
  synced(): Promise<void>;
  /** Brings the rows of a lane in line with its midoffice's current `delivery_order`, in batches. */
  restateOrder(midofficeId: string, nowMs: number): Promise<void>;
  /**
   * The clock was set back: lets no delivery of the shard wait for longer than its step of the schedule from now on.
   * Page by page, each with the midoffices that had some.
   */
  pullForward(
    shard: number,
    schedule: readonly number[],
    nowMs: number,
  ): AsyncIterable<readonly string[]>;
  /**
   * A safety net: frees events that are parked behind nothing, which should never happen. Returns the
   * midoffices that had some.
   */
  freeStranded(shard: number, nowMs: number): Promise<string[]>;
  /** Tells the owners of these midoffices, on any node, to look for work. */
  announce(midofficeIds: readonly string[]): Promise<void>;
  onNotice(listener: (notice: Notice) => void): () => void;
  /** Records which key signed the last webhook that the midoffice's receiver accepted. */
  markWorked(midofficeId: string, keyFingerprint: string): Promise<void>;
  /** Records when a midoffice began to fail, or that it no longer does. */
  markFailing(midofficeId: string, sinceMs: number | null): Promise<void>;
}

export interface WaitingWork {
  midofficeId: string;
  /** Null if all its rows are parked. */
  nextDueAtMs: number | null;
}

export interface LaneRequest {
  midofficeId: string;
  shard: number;
  /** The epoch of the shard; each row must be settled under it. */
  epoch: number;
  /** How many rows to read, besides the known ones. */
  limit: number;
  /** The rows that are already in memory, queued or in flight. */
  known: ReadonlySet<number>;
}

export interface LaneWork {
  midofficeId: string;
  due: Due[];
  /** When to read again; null if nothing else is pending. */
  nextDueAtMs: number | null;
}

/** The result of a settlement. It takes into account what support changed during the attempt. */
export interface Settled {
  settlement: Settlement;
  state: AttemptedState;
  /** When the next attempt is due; null unless the delivery is pending. */
  due_at: number | null;
}

export interface LanesNotice {
  kind: 'work' | 'changed';
  midofficeIds: readonly string[];
}

/**
 * `work`: the midoffices may have new work. `changed`: the rows that a lane holds in memory may also be
 * out of date. `lost`: any notice may have been missed. `shards`: some shards are free. `failover`: the database has
 * lost some of what was read from it and written to it; `keep` takes what the worker remembers of it, to store it again.
 */
export type Notice =
  | LanesNotice
  | { kind: 'lost' }
  | { kind: 'shards' }
  | { kind: 'failover'; keep(remembered: Remembered): void };

export interface Remembered {
  /** Deliveries in memory, queued or in flight. */
  due: readonly Due[];
  /** Outcomes that may not have been written. */
  outcomes: readonly Settlement[];
}

/** A shard that a node holds for as long as it renews the lease. */
export interface HeldShard {
  shard: number;
  epoch: number;
}

export interface ShardLeases {
  /** How long a lease lasts after a renewal; infinite for the embedded engine. */
  readonly leaseMs: number;
  /**
   * Renews the node's leases and returns how many nodes share the work. A retiring node does not count.
   * `inFlight` is stored only to show it to people.
   */
  renew(
    node: NodeIdentity,
    state: { inFlight: ReadonlyMap<number, number>; isRetiring: boolean },
  ): Promise<Renewal>;
  /** Takes up to `count` shards that are free or whose lease has ended. */
  take(node: NodeIdentity, count: number): Promise<HeldShard[]>;
  /** Releases shards at once, so that others can take them. */
  release(node: NodeIdentity, shards: readonly number[]): Promise<void>;
  /** Releases all shards, because the node stops. */
  leave(node: NodeIdentity): Promise<void>;
}

export interface NodeIdentity {
  id: string;
  host: string;
}

export interface Renewal {
  held: HeldShard[];
  /** Nodes that are alive, including this one unless it retires. */
  nodes: number;
  /** Shards without an owner, or whose lease has ended. */
  free: number;
}

/** The columns of a delivery that is new in the queue. */
export const NEVER_ATTEMPTED = {
  retries_used: 0,
  attempts_made: 0,
  scheduled_at: null,
  asked_at: null,
  last_key: null,
};

/** The number of shards. A midoffice always stays in the same shard. */
export const SHARDS = 64;

/** FNV-1a. It spreads evenly enough, because ids are random. */
export function shardOf(midofficeId: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < midofficeId.length; i++) {
    hash = Math.imul(hash ^ midofficeId.charCodeAt(i), 0x01000193);
  }
  return (hash >>> 0) % SHARDS;
}
