import type { Standing, Window } from './limiter.ts';
import { isNoScript, type RedisLink } from './redis-link.ts';
import { ADMIT, MERGE, type Script } from './redis-scripts.ts';

/** Merging is rare and may move thousands of admissions; nobody waits for it. */
const MERGE_TIMEOUT_MS = 5_000;

/** The windows in Redis: its scripts, as functions. */
export class RedisWindows {
  #link: RedisLink;
  #prefix: string;

  constructor(link: RedisLink, prefix: string) {
    this.#link = link;
    this.#prefix = prefix;
  }

  /** So that the scripts run in the order in which they are sent, from the first one on. */
  async loadScripts(): Promise<void> {
    for (const { source } of [ADMIT, MERGE]) await this.#link.send(['SCRIPT', 'LOAD', source]);
  }

  /** Admits the request with this id; without an id, only looks. */
  async admit(
    keyId: string,
    endpoint: string,
    { requests, seconds }: Window,
    id = '',
  ): Promise<Standing> {
    const args = [String(requests), String(seconds * 1_000_000), id];
    const reply = await this.#run(ADMIT, keyId, endpoint, args);
    const [admitted, remaining, resetMicros] = reply as [number, number, number];
    return { admitted: admitted === 1, remaining, resetInMs: resetMicros / 1_000 };
  }

  /** Adds admissions, given as ages in microseconds and ids by turns, that Redis lacks. */
  async merge(
    keyId: string,
    endpoint: string,
    keepMs: number,
    agesAndIds: string[],
  ): Promise<void> {
    const args = [String(keepMs), ...agesAndIds];
    await this.#run(MERGE, keyId, endpoint, args, MERGE_TIMEOUT_MS);
  }

  /** A restarted Redis has not the scripts, and anyone may flush them: they go along if need be. */
  async #run(
    { sha, source }: Script,
    keyId: string,
    endpoint: string,
    args: string[],
    timeoutMs?: number,
  ): Promise<unknown> {
    const list = `${this.#prefix}:window:{${keyId}}:${endpoint}`;
    try {
      return await this.#link.send(['EVALSHA', sha, '1', list, ...args], timeoutMs);
    } catch (error) {
      if (!isNoScript(error)) throw error;
      return this.#link.send(['EVAL', source, '1', list, ...args], timeoutMs);
    }
  }
}
