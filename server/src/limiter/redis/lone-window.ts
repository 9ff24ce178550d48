/**
 * How far a node may fill a window while Redis is away. All nodes that were live divide what was left of it, so together
 * they admit what Redis would have: no more than the window has, apart from what they had not heard of each other.
 *
 *     until the window has passed once: what this node had in it, and its share of what was left
 *     of what it admits by itself:      never more than its share of the whole window
 *
 * So a node uses again what frees of its own admissions, up to its share. It does not know when those of other nodes
 * leave the window, only that all have left when the window has passed once; from then on each node has its share.
 *
 * If only some nodes have lost Redis, it keeps their shares free for them (`reservedFor`) as soon as the others have
 * heard of it through the database, which takes them less than a second. A node that is cut off from both has its share
 * besides: nobody can tell it from one that has died, whose share must not be lost to the callers.
 */
import type { LoneNode, Standing } from '../limiter.ts';
import type { Ring } from '../ring.ts';

/**
 * A node hears within a tenth of a second that a window was filled by another quarter (`ADMIT` tells, `BEAT` reads).
 * Of what is less than that it hears nothing.
 */
export const TOLD_PARTS = 4;
/** What was heard longer ago may lack what was too little to be told. */
const FRESH_MS = 1_000;

/** The nodes that were live when Redis was lost, and which of them this one is, from 0. */
export interface Share {
  nodes: number;
  place: number;
}

/** What Redis last said of a window. */
export interface Heard {
  counted: number;
  /** On this node's clock; long ago if it never said anything. */
  atMs: number;
}

export class LoneWindow {
  readonly requests: number;
  readonly spanMs: number;
  /** When Redis was lost. */
  readonly lostMs: number;
  /** Admissions since then come after this instant. */
  readonly beforeMs: number;
  /** Of this node, until the window has passed once. */
  #most: number;
  /** Of this node since Redis was lost. */
  #quota: number;

  /** `beforeMs` is that of another window of the same ring since Redis was lost. */
  constructor(
    ring: Ring,
    heard: Heard,
    { lostMs, share, beforeMs }: { lostMs: number; share: Share; beforeMs: number | undefined },
  ) {
    const { requests, spanMs } = ring;
    this.requests = requests;
    this.spanMs = spanMs;
    this.lostMs = lostMs;
    this.beforeMs = beforeMs ?? (ring.size > 0 ? ring.at(ring.size - 1) : Number.NEGATIVE_INFINITY);
    const since = ring.count(this.beforeMs, 0);
    const own = Math.max(ring.count(lostMs, spanMs) - since, 0);
    const left =
      requests - own - othersIn(ring, heard, lostMs) - unheardIn(ring, heard, this, share);
    this.#most = Math.min(own + slotsOf(left, share), requests);
    this.#quota = slotsOf(requests, share);
  }

  fits(ring: Ring, nowMs: number): boolean {
    return this.#roomAtMs(ring, nowMs) <= nowMs;
  }

  standing(ring: Ring, nowMs: number): Standing {
    const counted = ring.count(nowMs, this.spanMs);
    const since = Math.min(counted, ring.count(this.beforeMs, 0));
    const most = this.#hasPassed(nowMs) ? this.requests : this.#most - counted;
    const remaining = Math.max(Math.min(most, this.#quota - since), 0);
    if (remaining === 0) {
      const resetInMs = Math.max(this.#roomAtMs(ring, nowMs) - nowMs, 0);
      return { admitted: false, remaining, resetInMs: Math.min(resetInMs, this.spanMs) };
    }
    const oldestMs = counted > 0 ? ring.at(ring.size - counted) : nowMs - this.spanMs;
    const resetInMs = Math.min(oldestMs + this.spanMs - nowMs, this.spanMs);
    return { admitted: true, remaining, resetInMs };
  }

  /** When one more fits; in the past if it does now. */
  #roomAtMs(ring: Ring, nowMs: number): number {
    const passedMs = this.lostMs + this.spanMs;
    const inWindowMs = this.#hasPassed(nowMs)
      ? passedMs
      : Math.min(this.#freeMs(ring, this.#most), passedMs);
    if (this.#quota === 0) return nowMs + this.spanMs;
    if (ring.size < this.#quota || ring.at(ring.size - this.#quota) <= this.beforeMs)
      return inWindowMs;
    return Math.max(inWindowMs, this.#freeMs(ring, this.#quota));
  }

  /** When the ring has fewer than `most` inside the window. */
  #freeMs(ring: Ring, most: number): number {
    if (most <= 0) return Number.POSITIVE_INFINITY;
    return ring.size < most ? Number.NEGATIVE_INFINITY : ring.at(ring.size - most) + this.spanMs;
  }

  #hasPassed(nowMs: number): boolean {
    return nowMs >= this.lostMs + this.spanMs;
  }
}

/** The slots of a window go round the nodes, so that what does not divide belongs to some of them. */
export function slotsOf(slots: number, { nodes, place }: Share): number {
  return Math.max(Math.ceil((slots - place) / nodes), 0);
}

/** The share of a node in the windows of this key. It is not always the same node that gets what does not divide. */
export function shareOf(keyId: string, { nodes, rank }: Pick<LoneNode, 'nodes' | 'rank'>): Share {
  let sum = 0;
  for (let i = 0; i < keyId.length; i++) sum += keyId.charCodeAt(i);
  return { nodes, place: (rank + sum) % nodes };
}

/**
 * What nodes that are alone may admit of a window by themselves. If they came to know of each other one by one, their
 * shares may be more than the window: those with Redis keep at least the share of one node.
 */
export function reservedFor(alone: readonly LoneNode[], keyId: string, requests: number): number {
  if (alone.length === 0) return 0;
  let slots = 0;
  for (const node of alone) slots += slotsOf(requests, shareOf(keyId, node));
  const one = slotsOf(requests, { nodes: alone.length + 1, place: alone.length });
  return Math.min(slots, requests - one);
}

/** What other nodes had in the window, as far as Redis said so. */
function othersIn(ring: Ring, { counted, atMs }: Heard, lostMs: number): number {
  if (lostMs - atMs >= ring.spanMs) return 0;
  return Math.max(counted - (ring.count(atMs, ring.spanMs) - ring.count(atMs, 0)), 0);
}

/** What others may have admitted since without this node hearing of it. */
function unheardIn(ring: Ring, { atMs }: Heard, { lostMs }: LoneWindow, { nodes }: Share): number {
  if (nodes === 1 || lostMs - atMs <= FRESH_MS) return 0;
  return Math.ceil(ring.requests / TOLD_PARTS) - 1;
}
