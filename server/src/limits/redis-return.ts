import type { Clock } from '../clock.ts';
import type { MirroredTally } from './mirrored-tally.ts';
import type { RedisLink } from './redis-link.ts';
import { MEMBERSHIP_SCRIPTS, type RedisMembership } from './redis-membership.ts';
import type { RedisMirror } from './redis-mirror.ts';
import { WINDOW_SCRIPTS } from './redis-scripts.ts';
import type { RedisWindows } from './redis-windows.ts';

const MERGED_AT_ONCE = 200;
const JOIN_AGAIN_MS = 25;

/**
 * What a node does before it lets Redis decide: it tells Redis what it let in alone, or, if Redis
 * has forgotten anything meanwhile, all that it knows of and that still matters. Then it becomes one
 * of the nodes that Redis decides for.
 */
export class RedisReturn {
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
    await this.#silenceLastConnection();
    // So that the scripts run in the order in which they are sent, from the first one on.
    await this.#link.load([...WINDOW_SCRIPTS, ...MEMBERSHIP_SCRIPTS]);
  }

  /** Resolves to the epoch when Redis knows this node; what is left then, `mergeRest` takes along. */
  async join(): Promise<string> {
    const { epoch, isMember } = await this.#membership.look(this.#run);
    if (!isMember) this.#mistrust(epoch);
    while (this.#mirror.unmerged.size > MERGED_AT_ONCE) await this.#merge(MERGED_AT_ONCE);
    for (;;) {
      await this.mergeRest();
      const joined = await this.#membership.join(this.#run);
      if (joined !== undefined) {
        this.#hasJoined = true;
        return joined;
      }
      await new Promise<void>((resolve) => this.#clock.after(JOIN_AGAIN_MS, resolve));
    }
  }

  /**
   * Tells Redis what is left. Sent at once, so that it is ahead of any request that this node
   * sends after the call on the same connection.
   */
  mergeRest(): Promise<void> {
    return this.#merge(this.#mirror.unmerged.size);
  }

  /** Tells Redis about a window that it has lost; requests that find this out together share it. */
  mergeLost(keyId: string, endpoint: string): Promise<void> {
    const tally = this.#mirror.tallies.get(keyId, endpoint);
    return tally ? this.#mergeOne(tally) : Promise.resolve();
  }

  /**
   * A Redis that hung may find requests of the connection before in its socket, long decided
   * here. Once that connection is closed it can't run them after they were merged.
   */
  async #silenceLastConnection(): Promise<void> {
    if (this.#run && this.#last?.run === this.#run) {
      await this.#link.sendIfAllowed('CLIENT', 'KILL', 'ID', this.#last.clientId);
    }
    const clientId = String(await this.#link.sendIfAllowed('CLIENT', 'ID'));
    this.#last = { run: this.#run, clientId };
  }

  /** Redis may lack anything, but for what the journal says it has counted in the same epoch. */
  #mistrust(epoch: string | undefined): void {
    const { tallies, unmerged } = this.#mirror;
    for (const tally of tallies) {
      const isKnown = epoch !== undefined && !this.#hasJoined && tally.readInEpoch === epoch;
      if (!isKnown) unmerged.add(tally);
    }
  }

  async #merge(atMost: number): Promise<void> {
    const some = [...this.#mirror.unmerged].slice(0, atMost);
    await Promise.all(some.map((tally) => this.#mergeOne(tally)));
  }

  #mergeOne(tally: MirroredTally): Promise<void> {
    // What is let in while Redis works puts the tally back, and is not in what is under way.
    const isNews = this.#mirror.unmerged.delete(tally);
    const underWay = this.#merging.get(tally);
    if (underWay && !isNews) return underWay;
    const merging = this.#send(tally).finally(() => {
      if (this.#merging.get(tally) === merging) this.#merging.delete(tally);
    });
    this.#merging.set(tally, merging);
    return merging;
  }

  async #send(tally: MirroredTally): Promise<void> {
    const agesAndIds = this.#mirror.agesAndIds(tally);
    if (agesAndIds.length === 0) {
      tally.generation = '';
      return;
    }
    const newGeneration = this.#mirror.idOf(this.#mirror.nextInstant());
    try {
      const nowMs = this.#clock.monotonic();
      tally.generation = await this.#windows.merge(tally, nowMs, newGeneration, agesAndIds);
    } catch (error) {
      this.#mirror.unmerged.add(tally);
      throw error;
    }
  }
}
