/**
 * Which shards this node owns. It renews its leases every second, takes free shards up to its fair share
 * and gives back the surplus. The end of a lease is counted from before the renewal was sent, on the
 * monotonic clock, so the lease ends here before it ends in the database.
 *
 *     free ──take──→ held ──surplus, or the node stops──→ leaving ──nothing in flight──→ free
 *                    │  ↑
 *     lease ended ───┤  └── renewed before another node took it
 *                    └──→ lapsed ──taken over──→ lost
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { type HeldShard, type NodeIdentity, SHARDS, type ShardLeases } from './queue.ts';

/** A lease of 6 s is renewed every second and treated as ended half a second early. */
const RENEWALS_PER_LEASE = 6;
/** After a failure the next renewal comes this many times sooner. */
const RETRY_SPEEDUP = 5;
const LONGEST_RETRY_MS = 1_000;
const MARGIN = 1 / 12;

export interface OwnershipParts {
  leases: ShardLeases;
  /** Real time, even where tests move the schedule's clock: leases end on the database's clock. */
  clock: Pick<Clock, 'monotonic' | 'after'>;
  log: Log;
  /** Attempts in flight, by shard. */
  inFlight(): ReadonlyMap<number, number>;
  gained(shards: readonly number[]): void;
  /**
   * The leases have ended, so no attempt may be sent. No node has taken the shards over yet: outcomes may
   * still be recorded, and the rows in memory are still right if the leases are renewed.
   */
  lapsed(shards: readonly number[]): void;
  lost(shards: readonly number[]): void;
  taken(count: number): void;
}

export class Ownership {
  readonly node: NodeIdentity = {
    id: `${hostname()}-${process.pid}-${randomBytes(3).toString('hex')}`,
    host: hostname(),
  };
  readonly #parts: OwnershipParts;
  readonly #held = new Map<number, number>();
  readonly #leaving = new Set<number>();
  #endsAtMs = 0;
  #renewal: Timer | undefined;
  #expiry: Timer | undefined;
  #ticking: Promise<void> | undefined;
  #wereFree = false;
  /** By this time, a node that took none of the free shards has either taken its share or expired. */
  #keepsSurplusUntilMs = 0;
  #hasLapsed = false;
  /** The log warns once per outage, not for every try. */
  #hasFailed = false;
  #isRetiring = false;
  #hasLeft = false;
  /** How often `giveUp` was called: an answer to a question from before says nothing. */
  #gaveUp = 0;

  constructor(parts: OwnershipParts) {
    this.#parts = parts;
  }

  get count(): number {
    return this.#isValid ? this.#held.size : 0;
  }

  get shards(): number[] {
    return [...this.#held.keys()];
  }

  /** The epoch for new attempts; undefined if this node must not begin any. */
  epochOf(shard: number): number | undefined {
    return this.#isValid && !this.#leaving.has(shard) ? this.#held.get(shard) : undefined;
  }

  /** Whether an attempt that began under this epoch may still be sent. */
  isOurs(shard: number, epoch: number): boolean {
    return this.#isValid && this.#held.get(shard) === epoch;
  }

  /** The database has lost its history: nothing that was held there counts, whoever holds it now. */
  giveUp(): void {
    this.#gaveUp++;
    this.#lose(this.shards);
    void this.tick();
  }

  /** Renews at once, for example because another node has released shards. */
  tick(): Promise<void> {
    this.#renewal?.cancel();
    this.#ticking ??= this.#renew().finally(() => {
      this.#ticking = undefined;
      const everyMs = this.#parts.leases.leaseMs / RENEWALS_PER_LEASE;
      // The embedded process needs only one successful renewal.
      if (this.#hasLeft || (everyMs === Number.POSITIVE_INFINITY && !this.#hasFailed)) return;
      const inMs = this.#hasFailed ? Math.min(everyMs / RETRY_SPEEDUP, LONGEST_RETRY_MS) : everyMs;
      this.#renewal = this.#parts.clock.after(inMs, () => void this.tick());
    });
    return this.#ticking;
  }

  /** No new attempts. Releases shards with nothing in flight at once, and the others later. */
  async retire(): Promise<void> {
    this.#isRetiring = true;
    await this.#ticking;
    await this.tick();
  }

  /** Called after the last attempt. */
  async leave(): Promise<void> {
    this.#hasLeft = true;
    await this.#ticking;
    this.#renewal?.cancel();
    this.#expiry?.cancel();
    this.#held.clear();
    try {
      await this.#parts.leases.leave(this.node);
    } catch (error) {
      this.#parts.log.warn(
        { err: error },
        'shards could not be released; other nodes take them when their leases end',
      );
    }
  }

  get #isValid(): boolean {
    return this.#parts.clock.monotonic() < this.#endsAtMs;
  }

  async #renew(): Promise<void> {
    const { leases, clock, log, inFlight } = this.#parts;
    const askedAtMs = clock.monotonic();
    const gaveUp = this.#gaveUp;
    try {
      const { held, nodes, free } = await leases.renew(this.node, {
        inFlight: inFlight(),
        isRetiring: this.#isRetiring,
      });
      this.#hasFailed = false;
      this.#keep(held);
      const share = this.#isRetiring ? 0 : Math.ceil(SHARDS / nodes);
      const wanted = this.#wanted(free, share - held.length, askedAtMs);
      if (wanted > 0) {
        const taken = await leases.take(this.node, wanted);
        this.#parts.taken(taken.length);
        held.push(...taken);
      }
      if (gaveUp !== this.#gaveUp) return;
      this.#extend(askedAtMs + leases.leaseMs * (1 - MARGIN));
      this.#adopt(held);
      this.#leaveSurplus(share);
      await this.#giveBack();
    } catch (error) {
      if (!this.#hasFailed)
        log.warn({ err: error }, 'the leases of shards cannot be renewed; trying again');
      this.#hasFailed = true;
    }
  }

  #extend(endsAtMs: number): void {
    this.#endsAtMs = endsAtMs;
    this.#expiry?.cancel();
    if (endsAtMs === Number.POSITIVE_INFINITY) return;
    const inMs = endsAtMs - this.#parts.clock.monotonic();
    this.#expiry = this.#parts.clock.after(inMs, () => this.#lapse());
  }

  #lapse(): void {
    if (this.#held.size === 0) return;
    this.#parts.log.warn(
      { shards: this.#held.size },
      'the leases of shards have ended before they could be renewed',
    );
    this.#hasLapsed = true;
    this.#parts.lapsed(this.shards);
  }

  /** Drops the shards that another node has taken over. */
  #keep(held: readonly HeldShard[]): void {
    const epochs = new Map(held.map(({ shard, epoch }) => [shard, epoch]));
    this.#lose(this.shards.filter((shard) => epochs.get(shard) !== this.#held.get(shard)));
  }

  #adopt(held: readonly HeldShard[]): void {
    const gained = held.filter(({ shard }) => this.#hasLapsed || !this.#held.has(shard));
    this.#hasLapsed = false;
    for (const { shard, epoch } of held) this.#held.set(shard, epoch);
    if (gained.length > 0) this.#parts.gained(gained.map(({ shard }) => shard));
  }

  #lose(shards: readonly number[]): void {
    if (shards.length === 0) return;
    for (const shard of shards) {
      this.#held.delete(shard);
      this.#leaving.delete(shard);
    }
    this.#parts.lost(shards);
  }

  /**
   * Its share, or all free shards if some were also free at the previous renewal. Otherwise shards would
   * stay without an owner because of a node that still counts as alive but takes none.
   */
  #wanted(free: number, missing: number, nowMs: number): number {
    const wereFree = this.#wereFree;
    this.#wereFree = free > 0 && !this.#isRetiring;
    if (!wereFree || !this.#wereFree) return Math.min(free, missing);
    this.#keepsSurplusUntilMs = nowMs + this.#parts.leases.leaseMs;
    return free;
  }

  /** Starts with the shards that have the fewest attempts in flight. */
  #leaveSurplus(share: number): void {
    if (!this.#isRetiring && this.#parts.clock.monotonic() < this.#keepsSurplusUntilMs) return;
    const surplus = Math.max(this.#held.size - share, 0);
    const stays = [...this.#leaving].slice(surplus);
    for (const shard of stays) this.#leaving.delete(shard);
    if (stays.length > 0) this.#parts.gained(stays);
    const busy = this.#parts.inFlight();
    const others = this.shards.filter((shard) => !this.#leaving.has(shard));
    others.sort((a, b) => (busy.get(a) ?? 0) - (busy.get(b) ?? 0));
    for (const shard of others.slice(0, surplus - this.#leaving.size)) this.#leaving.add(shard);
  }

  async #giveBack(): Promise<void> {
    const busy = this.#parts.inFlight();
    const idle = [...this.#leaving].filter((shard) => !busy.has(shard));
    if (idle.length === 0) return;
    this.#lose(idle);
    await this.#parts.leases.release(this.node, idle);
  }
}
