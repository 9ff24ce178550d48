import type { RedisLink } from './redis-link.ts';
import type { MirroredTally, RedisMirror } from './redis-mirror.ts';
import type { RedisWindows } from './redis-windows.ts';

const MERGED_AT_ONCE = 200;
/** A node that Redis no longer remembers tells it everything again, which does no harm. */
const REMEMBERED_MS = 24 * 3_600_000;

/**
 * What a node does before it lets Redis decide again: it tells Redis what it let in alone, or, if
 * Redis has forgotten anything meanwhile, all that it ever let in and that still matters.
 */
export class RedisReturn {
  #link: RedisLink;
  #windows: RedisWindows;
  #mirror: RedisMirror;
  #marker: string;
  #last: { runId: string; clientId: string } | undefined;

  constructor(link: RedisLink, windows: RedisWindows, mirror: RedisMirror, prefix: string) {
    this.#link = link;
    this.#windows = windows;
    this.#mirror = mirror;
    this.#marker = `${prefix}:node:${mirror.node}`;
  }

  /** Resolves when so little is left that `mergeRest` can take it along. */
  async prepare(): Promise<void> {
    const info = String(await this.#link.sendIfAllowed('INFO', 'server'));
    const runId = /^run_id:(\w+)/m.exec(info)?.[1] ?? '';
    await this.#silenceLastConnection(runId);
    await this.#windows.loadScripts();
    if (!(await this.#isRemembered(runId))) {
      for (const tally of this.#mirror.tallies) this.#mirror.unmerged.add(tally);
    }
    while (this.#mirror.unmerged.size > MERGED_AT_ONCE) await this.#merge(MERGED_AT_ONCE);
  }

  /**
   * Tells Redis what is left. Sent at once, so that it is ahead of any request that this node
   * sends after the call on the same connection.
   */
  mergeRest(): Promise<void> {
    return this.#merge(this.#mirror.unmerged.size);
  }

  /**
   * A Redis that hung may find requests of the connection before in its socket, long decided
   * here. Once that connection is closed it can't run them after they were merged.
   */
  async #silenceLastConnection(runId: string): Promise<void> {
    if (runId && this.#last?.runId === runId) {
      await this.#link.sendIfAllowed('CLIENT', 'KILL', 'ID', this.#last.clientId);
    }
    const clientId = String(await this.#link.sendIfAllowed('CLIENT', 'ID'));
    this.#last = { runId, clientId };
  }

  /**
   * The marker is gone from a Redis that came back empty, and names another run in one that was
   * restarted from a copy, which may be older than what it was told.
   */
  async #isRemembered(runId: string): Promise<boolean> {
    const keep = ['PX', String(REMEMBERED_MS), 'GET'];
    const marked = await this.#link.send(['SET', this.#marker, runId, ...keep]);
    return runId !== '' && marked === runId;
  }

  async #merge(atMost: number): Promise<void> {
    const some = [...this.#mirror.unmerged].slice(0, atMost);
    await Promise.all(some.map((tally) => this.#mergeOne(tally)));
  }

  async #mergeOne(tally: MirroredTally): Promise<void> {
    const { unmerged } = this.#mirror;
    // Taken off first: what is let in while Redis works puts the tally back.
    unmerged.delete(tally);
    const { keyId, endpoint, ring } = tally;
    const agesAndIds = this.#mirror.agesAndIds(tally);
    if (agesAndIds.length === 0) return;
    try {
      await this.#windows.merge(keyId, endpoint, ring.longestSpanMs, agesAndIds);
    } catch (error) {
      unmerged.add(tally);
      throw error;
    }
  }
}
