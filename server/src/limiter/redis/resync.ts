/**
 * What a node does before it lets Redis decide. It promises that Redis has counted every admission of this node that
 * still matters, each once, before it decides for this node again.
 *
 *     greet       which run of Redis is this? Close our last connection, in which old requests may still wait
 *       ↓
 *     join        does this run know us?  yes: merge what we admitted alone
 *       ↓                                 no:  it may have lost data: merge everything that it may lack
 *       ↓         then ask to be let in, again and again: Redis waits a moment for other nodes that have to merge
 *     mergeRest   merge what was admitted meanwhile
 *
 * Merging is safe to repeat, because an admission has an id that Redis knows again. A ring in Redis has a generation: if it
 * is not the one that this node last saw, Redis has lost the ring, and all of it is merged instead of the newest part. The
 * same happens to a single window that Redis has lost (`mergeLost`). Large merges are cut into parts, because Redis
 * does nothing else while it works on one.
 */
import type { Clock } from '../../base/clock.ts';
import type { RedisLink } from './link.ts';
import type { RedisMembership } from './membership.ts';
import { SMALL_RING } from './merge-script.ts';
import type { RedisMirror } from './mirror.ts';
import type { MirroredTally, Unmerged } from './mirrored-tally.ts';
import type { RedisWindows } from './windows.ts';

const TALLIES_AT_ONCE = 200;
/** Admissions merged in one call: Redis does nothing else while it works on them. */
const MOST_MERGED_AT_ONCE = 2_000;
/** The same for a large ring, of which Redis reads everything from the time of these admissions. */
const LONGEST_MERGED_AT_ONCE_MS = 10_000;
/** Redis counts an admission by the time at which it is asked, which is a little later than its instant. */
const LATE_MS = 5_000;
/** A Redis that hung may count it as much later as it hung: the requests were in its socket. */
const LONGEST_LATE_MS = 24 * 3_600_000;
/** Redis may lose a ring again while it is merged. */
const MOST_TRIES = 3;
const JOIN_AGAIN_MS = 25;
/** Three seconds of asking; Redis waits for other nodes for one at most. Counted, because merging may take longer. */
const MOST_JOINS = 120;

export class RedisResync {
  #clock: Clock;
  #link: RedisLink;
  #windows: RedisWindows;
  #membership: RedisMembership;
  #mirror: RedisMirror;
  #run = '';
  #last: { run: string; clientId: string } | undefined;
  #hasJoined = false;
  #merging = new Map<MirroredTally, Promise<void>>();

  constructor(parts: {
    clock: Clock;
    link: RedisLink;
    windows: RedisWindows;
    membership: RedisMembership;
    mirror: RedisMirror;
  }) {
    this.#clock = parts.clock;
    this.#link = parts.link;
    this.#windows = parts.windows;
    this.#membership = parts.membership;
    this.#mirror = parts.mirror;
  }

  /** First on a new connection. */
  async greet(): Promise<void> {
    const info = String(await this.#link.sendIfAllowed('INFO', 'server'));
    this.#run = /^run_id:(\w+)/m.exec(info)?.[1] ?? '';
    await this.#fenceLastConnection();
  }

  /** Resolves to the epoch when this node has joined. `mergeRest` merges what was admitted meanwhile. */
  async join(): Promise<string> {
    const { epoch, isMember } = await this.#membership.look(this.#run);
    if (!isMember) this.#addAllUnmerged(epoch);
    while (this.#mirror.unmerged.size > TALLIES_AT_ONCE) await this.#merge(TALLIES_AT_ONCE);
    const startedMs = this.#clock.monotonic();
    for (let joins = 0; joins < MOST_JOINS; joins++) {
      await this.mergeRest();
      const askedForMs = this.#clock.monotonic() - startedMs;
      const joined = await this.#membership.join(this.#run, askedForMs);
      if (joined !== undefined) {
        this.#hasJoined = true;
        return joined;
      }
      await new Promise<void>((resolve) => this.#clock.after(JOIN_AGAIN_MS, resolve));
    }
    throw this.#link.giveUp(new Error('it does not let this node join the others'));
  }

  /**
   * Merges what is left. Sent at once, so that it is ahead of any request that this node
   * sends after the call on the same connection.
   */
  mergeRest(): Promise<void> {
    return this.#merge(this.#mirror.unmerged.size);
  }

  /** Merges a window that Redis has lost; requests that find this out together share the merge. */
  mergeLost(keyId: string, endpoint: string): Promise<void> {
    const tally = this.#mirror.tallies.get(keyId, endpoint);
    if (!tally) return Promise.resolve();
    if (!this.#merging.has(tally)) tally.addAllUnmerged();
    return this.#mergeOne(tally);
  }

  /**
   * A Redis that hung may find requests of the connection before in its socket, long decided
   * here. Once that connection is closed it can't run them after they were merged.
   */
  async #fenceLastConnection(): Promise<void> {
    if (this.#run && this.#last?.run === this.#run) {
      await this.#link.sendIfAllowed('CLIENT', 'KILL', 'ID', this.#last.clientId);
    }
    const clientId = String(await this.#link.sendIfAllowed('CLIENT', 'ID'));
    this.#last = { run: this.#run, clientId };
  }

  /** Redis may lack anything, but for what the journal says it has counted in the same epoch. */
  #addAllUnmerged(epoch: string | undefined): void {
    const { tallies, unmerged } = this.#mirror;
    for (const tally of tallies) {
      const isKnown = epoch !== undefined && !this.#hasJoined && tally.readInEpoch === epoch;
      if (isKnown) continue;
      tally.addAllUnmerged();
      unmerged.add(tally);
    }
  }

  async #merge(atMost: number): Promise<void> {
    const some = [...this.#mirror.unmerged].slice(0, atMost);
    await Promise.all(some.map((tally) => this.#mergeOne(tally)));
  }

  #mergeOne(tally: MirroredTally): Promise<void> {
    // What is admitted while Redis works puts the tally back, and is not in what is under way.
    const isNews = this.#mirror.unmerged.delete(tally);
    const underWay = this.#merging.get(tally);
    if (underWay && !isNews) return underWay;
    const merging = this.#send(tally).finally(() => {
      if (this.#merging.get(tally) === merging) this.#merging.delete(tally);
    });
    this.#merging.set(tally, merging);
    return merging;
  }

  /**
   * What a node admitted alone since Redis last answered is little, and all of it is sent at once. If Redis has lost
   * the ring, everything is merged, which may be a million admissions: in parts, one after the other, so that
   * neither Redis nor this process is held up.
   */
  async #send(tally: MirroredTally): Promise<void> {
    for (let tries = 0; tries < MOST_TRIES; tries++) {
      const unmerged = tally.takeUnmerged(this.#clock.monotonic());
      try {
        if (await this.#sendParts(tally, unmerged)) return;
      } catch (error) {
        tally.putBackUnmerged(unmerged);
        this.#mirror.unmerged.add(tally);
        throw error;
      }
      tally.addAllUnmerged();
    }
    this.#mirror.unmerged.add(tally);
    throw new Error('Redis loses a window again while it is merged.');
  }

  /** Whether Redis has all of the tally now. */
  async #sendParts(tally: MirroredTally, { instantsMs, isAll }: Unmerged): Promise<boolean> {
    if (instantsMs.length === 0) {
      if (isAll) tally.generation = '';
      return true;
    }
    const parts = partsOf(instantsMs, tally.ring.requests > SMALL_RING);
    const ifNew = this.#mirror.idOf(this.#mirror.nextInstant());
    let generation: string | undefined = isAll ? '' : tally.generation;
    const merge = (part: number[], expected: string) =>
      this.#windows.merge(
        tally,
        this.#clock.monotonic(),
        { expected, ifNew, lateMs: isAll ? LATE_MS : LONGEST_LATE_MS },
        this.#mirror.aged(tally, part),
      );
    if (isAll) {
      for (const part of parts) {
        generation = await merge(part, generation);
        if (generation === undefined) return false;
      }
    } else {
      const expected = generation;
      const generations = await Promise.all(parts.map((part) => merge(part, expected)));
      if (generations.includes(undefined)) return false;
      generation = generations.at(-1);
    }
    tally.generation = generation as string;
    return true;
  }
}

function partsOf(instantsMs: readonly number[], isLarge: boolean): number[][] {
  const longestMs = isLarge ? LONGEST_MERGED_AT_ONCE_MS : Number.POSITIVE_INFINITY;
  const parts: number[][] = [];
  let part: number[] = [];
  for (const instantMs of instantsMs) {
    const first = part[0] ?? instantMs;
    if (part.length === MOST_MERGED_AT_ONCE || instantMs - first > longestMs) {
      parts.push(part);
      part = [];
    }
    part.push(instantMs);
  }
  parts.push(part);
  return parts;
}
