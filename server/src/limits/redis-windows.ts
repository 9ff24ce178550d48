import type { Standing, Window } from './limiter.ts';
import type { RedisLink } from './redis-link.ts';
import { ADMIT, MERGE, NODE_FORGOTTEN, WINDOW_FORGOTTEN } from './redis-scripts.ts';
import type { Ring } from './ring.ts';

/** Merging is rare and may move thousands of admissions; nobody waits for it. */
const MERGE_TIMEOUT_MS = 5_000;

/** What a node asks about, and as what it asks. */
export interface Question {
  keyId: string;
  endpoint: string;
  window: Window;
  /** Empty: Redis only looks. */
  id: string;
  /** Of the list in which this node's admissions are; empty if there are none. */
  generation: string;
}

export type Answer = Decision | 'window forgotten' | 'node forgotten';

export interface Decision {
  standing: Standing;
  /** If it is news. */
  generation: string | undefined;
}

/** The windows in Redis: its scripts, as functions. */
export class RedisWindows {
  #link: RedisLink;
  #prefix: string;
  #node: string;

  constructor(link: RedisLink, prefix: string, node: string) {
    this.#link = link;
    this.#prefix = prefix;
    this.#node = node;
  }

  async ask({ keyId, endpoint, window, id, generation }: Question): Promise<Answer> {
    const { requests, seconds } = window;
    const spanMicros = Math.round(seconds * 1_000_000);
    const reply = (await this.#link.run(
      ADMIT,
      [this.#listOf(keyId, endpoint), nodesKey(this.#prefix)],
      [String(requests), String(spanMicros), this.#node, id, generation],
    )) as [number, number, number, string | undefined];
    const [admitted, remaining, resetMicros, news] = reply;
    if (admitted === WINDOW_FORGOTTEN) return 'window forgotten';
    if (admitted === NODE_FORGOTTEN) return 'node forgotten';
    return {
      standing: { admitted: admitted === 1, remaining, resetInMs: resetMicros / 1_000 },
      generation: news,
    };
  }

  /**
   * Adds admissions, given as ages in microseconds and ids by turns, that Redis lacks, and keeps
   * what the ring's windows need. Resolves to the generation of the list that has them.
   */
  async merge(
    tally: { keyId: string; endpoint: string; ring: Ring },
    nowMs: number,
    newGeneration: string,
    agesAndIds: string[],
  ): Promise<string> {
    const { requests, spanMs, past } = tally.ring;
    const leftMs = past ? Math.max(past.untilMs - nowMs, 0) : 0;
    const windows = [requests, spanMs * 1_000, past?.requests ?? 0, (past?.spanMs ?? 0) * 1_000];
    const list = this.#listOf(tally.keyId, tally.endpoint);
    const args = [...windows, Math.ceil(leftMs * 1_000)].map((n) => String(Math.round(n)));
    const generation = await this.#link.run(
      MERGE,
      [list],
      [newGeneration, ...args, ...agesAndIds],
      MERGE_TIMEOUT_MS,
    );
    return String(generation);
  }

  #listOf(keyId: string, endpoint: string): string {
    return `${this.#prefix}:window:{${keyId}}:${endpoint}`;
  }
}

/** The nodes that Redis knows: see `RedisMembership`. */
export function nodesKey(prefix: string): string {
  return `${prefix}:nodes`;
}
