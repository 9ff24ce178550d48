/**
 * The windows in Redis: its scripts, as functions. The checks of one turn of the event loop go out in a
 * few calls, those of one window side by side, so that Redis and this process each do their work for
 * a call once and not for each check. They do not all go out at the end of the turn: while Redis works
 * on the first ones, this process reads the next requests, and neither waits for the other.
 */
import { createHash } from 'node:crypto';
import type { Standing, Window } from '../limiter.ts';
import type { Ring } from '../ring.ts';
import type { RedisLink } from './link.ts';
import { MERGE } from './merge-script.ts';
import { notRedis } from './protocol.ts';
import { ADMIT, ID_LENGTH, NODE_FENCED, WINDOW_LOST } from './scripts.ts';

/** Merging is rare, and nobody waits for it. */
const MERGE_TIMEOUT_MS = 5_000;
/** Enough to be worth a call; fewer wait for the end of the turn. */
const ENOUGH_CHECKS = 16;
/** While so many calls are under way, checks gather for the next one: fewer, fuller calls. */
const MOST_UNDER_WAY = 4;
/** More go out in another call in any case: Redis does nothing else while it works on one. */
const MOST_CHECKS_AT_ONCE = 128;
/** In the key of a window, before the id of an API key and the endpoint, which has no colon. */
const RING = ':ring:';

/** What a node asks about, and as what it asks. */
export interface Question {
  keyId: string;
  endpoint: string;
  window: Window;
  /** Empty: Redis only looks. */
  id: string;
  /** Of the ring in which this node's admissions are; empty if there are none. */
  generation: string;
}

export type Answer = Decision | 'window lost' | 'fenced';

export interface Decision {
  standing: Standing;
  generation: string;
}

/** A window that some node uses. */
export interface UsedWindow {
  keyId: string;
  endpoint: string;
  window: Window;
  /** How many it counts, of all nodes. */
  counted: number;
}

export interface AgedAdmission {
  ageMicros: number;
  id: string;
}

/** How much of a window Redis must leave to nodes that decide by themselves. */
export type Reserved = (keyId: string, window: Window) => number;

/** Called once, with the answer, or with the error if Redis gave none. */
export type Answered = (answer: Answer | undefined, error: unknown) => void;

/** Checks of one window that ask alike. */
interface Asked {
  key: string;
  keyId: string;
  window: Window;
  generation: string;
  ids: string[];
  answered: Answered[];
}

export class RedisWindows {
  #link: RedisLink;
  #prefix: string;
  #node: string;
  #reserved: Reserved;
  #asked = new Map<string, Asked>();
  #checks = 0;
  #underWay = 0;
  #sendsAtEndOfTurn = false;

  constructor(link: RedisLink, prefix: string, node: string, reserved: Reserved) {
    this.#link = link;
    this.#prefix = prefix;
    this.#node = node;
    this.#reserved = reserved;
  }

  ask(question: Question, answered: Answered): void {
    const { keyId, endpoint, window, generation } = question;
    const key = this.#keyOf(keyId, endpoint);
    let asked = this.#asked.get(key);
    if (asked && !(asked.generation === generation && isSame(asked.window, window))) {
      this.#send();
      asked = undefined;
    }
    if (!asked) {
      asked = { key, keyId, window, generation, ids: [], answered: [] };
      this.#asked.set(key, asked);
    }
    asked.ids.push(question.id && padded(question.id));
    asked.answered.push(answered);
    this.#checks += 1;
    if (this.#checks >= MOST_CHECKS_AT_ONCE) this.#send();
    else if (this.#underWay >= MOST_UNDER_WAY) return;
    else if (this.#checks >= ENOUGH_CHECKS) this.#send();
    else this.#sendAtEndOfTurn();
  }

  /**
   * Adds those of these admissions that Redis lacks, and keeps what the ring's windows need. Resolves to the
   * generation of the ring that has them; to undefined if Redis does not have the ring of the expected
   * generation any more (empty: any ring will do), in which case it has added nothing. `lateMs` is how much
   * later than its instant Redis may have counted an admission.
   */
  async merge(
    tally: { keyId: string; endpoint: string; ring: Ring },
    nowMs: number,
    { expected, ifNew, lateMs }: { expected: string; ifNew: string; lateMs: number },
    admissions: readonly AgedAdmission[],
  ): Promise<string | undefined> {
    // What was asked before is sent before.
    this.#send();
    const { requests, spanMs, past } = tally.ring;
    const leftMs = past ? Math.max(past.untilMs - nowMs, 0) : 0;
    const windows = [requests, spanMs * 1_000, past?.requests ?? 0, (past?.spanMs ?? 0) * 1_000];
    const args = [expected, padded(ifNew), String(lateMs * 1_000)];
    for (const number of windows) args.push(String(Math.round(number)));
    args.push(String(Math.ceil(leftMs * 1_000)));
    for (const { ageMicros, id } of admissions) args.push(String(ageMicros), padded(id));
    const key = this.#keyOf(tally.keyId, tally.endpoint);
    const generation = await this.#link.run(MERGE, [key, toldKey(this.#prefix)], args, {
      timeoutMs: MERGE_TIMEOUT_MS,
      about: ` (${key})`,
    });
    if (generation === WINDOW_LOST) return undefined;
    if (typeof generation === 'string') return generation;
    throw this.#link.giveUp(notRedis());
  }

  #keyOf(keyId: string, endpoint: string): string {
    return `${this.#prefix}${RING}${keyId}:${endpoint}`;
  }

  #send(): void {
    if (this.#checks === 0) return;
    const windows = [...this.#asked.values()];
    // Not `clear`: V8 links the old table to the new one, and so young requests to old ones, which only a full
    // collection ends. A check took a third more of the processor.
    this.#asked = new Map();
    this.#checks = 0;
    const keys = [nodesKey(this.#prefix), toldKey(this.#prefix)];
    const args = [this.#node];
    for (const { key, keyId, window, generation, ids } of windows) {
      keys.push(key);
      args.push(
        String(window.requests),
        String(Math.round(window.seconds * 1_000_000)),
        generation,
        String(this.#reserved(keyId, window)),
        String(ids.length),
      );
      for (const id of ids) args.push(id);
    }
    this.#underWay += 1;
    this.#link.run(ADMIT, keys, args).then(
      (reply) => {
        this.#ended();
        if (!answerAll(windows, reply)) this.#link.giveUp(notRedis());
      },
      (error) => {
        this.#ended();
        for (const { answered } of windows) for (const one of answered) one(undefined, error);
      },
    );
  }

  #sendAtEndOfTurn(): void {
    if (this.#sendsAtEndOfTurn) return;
    this.#sendsAtEndOfTurn = true;
    setImmediate(() => {
      this.#sendsAtEndOfTurn = false;
      if (this.#underWay < MOST_UNDER_WAY) this.#send();
    });
  }

  #ended(): void {
    this.#underWay -= 1;
    this.#send();
  }
}

/** Whether it was an answer of our script. A proxy or a server that only resembles Redis may answer anything. */
function answerAll(windows: readonly Asked[], reply: unknown): boolean {
  const values: readonly unknown[] = Array.isArray(reply) ? reply : [];
  const isFenced = values[0] === NODE_FENCED;
  let next = 0;
  let isOurs = true;
  for (const { answered } of windows) {
    const generation = isFenced ? NODE_FENCED : values[next++];
    for (const one of answered) {
      if (generation === NODE_FENCED) one('fenced', undefined);
      else if (generation === WINDOW_LOST) one('window lost', undefined);
      else {
        const admitted = values[next] === 1;
        const remaining = values[next + 1];
        const resetInUs = values[next + 2];
        next += 3;
        if (typeof generation !== 'string' || !isNumber(remaining) || !isNumber(resetInUs)) {
          isOurs = false;
          one(undefined, notRedis());
          continue;
        }
        const standing = { admitted, remaining, resetInMs: resetInUs / 1_000 };
        one({ standing, generation }, undefined);
      }
    }
  }
  return isOurs;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number';
}

function isSame(one: Window, other: Window): boolean {
  return one.requests === other.requests && one.seconds === other.seconds;
}

/** Ids in Redis are of one length; a longer one, which an old journal may have, becomes its digest. */
function padded(id: string): string {
  if (id.length <= ID_LENGTH) return id.padEnd(ID_LENGTH);
  return createHash('sha256').update(id).digest('base64url').slice(0, ID_LENGTH);
}

/** The nodes that Redis knows: see `RedisMembership`. */
export function nodesKey(prefix: string): string {
  return `${prefix}:nodes`;
}

/** The windows that were filled, with the times at which nodes were told: see `ToldWindows`. */
export function toldKey(prefix: string): string {
  return `${prefix}:told`;
}

/** Which window has this key. */
export function windowIn(prefix: string, key: string): { keyId: string; endpoint: string } {
  const at = key.lastIndexOf(':');
  return { keyId: key.slice(prefix.length + RING.length, at), endpoint: key.slice(at + 1) };
}
