import { type Limit, readRetryAfterMs, readStanding, type Standing } from './rate-limit.ts';

/**
 * The caller's side of one limit. The service counts a call somewhere between its sending and its
 * reply, so a slot is free again for sure once the window has passed since the reply of the N-th
 * last call: that is when the next one is sent. What is lost by it is a round trip per window.
 *
 * Calls that others made with the same key are known only from what the replies say, as bounds:
 * - at least as many as the service counted beyond all calls of ours that it can have counted;
 * - at most as many as it counted beyond those of ours that it must have counted.
 */
export interface Turn {
  /** The reply's status and headers are here. */
  replied(status: number, headers: Headers): void;
  /** No reply came: the service may have counted the call, or not. */
  lost(): void;
}

export type Sleep = (ms: number, signal?: AbortSignal | null) => Promise<void>;

interface Call {
  sentMs: number;
  /** Infinite while it is under way. */
  repliedMs: number;
  /** Whether the service has counted it for sure. */
  isCounted: boolean;
}

interface Waiter {
  go(turn: Turn): void;
}

/** The service's clock may run a little slower than ours. */
const MARGIN_MS = 10;
/** Beyond it, setTimeout fires at once; windows of up to 31 days are longer. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;
/** Refusals that come before the limit is looked at, unless the reply says how it stands. */
const UNCOUNTED_STATUSES: readonly number[] = [401, 403, 404, 405, 413];

export class PacedWindow {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  /** Undefined: none, or none that is known. */
  #limit: Limit | undefined;
  /** What calls sent before this say about the limit may be out of date. */
  #limitAsOfMs = Number.NEGATIVE_INFINITY;
  /** What the key has used before is not known until the first reply; until then, one at a time. */
  #isKnown = false;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  readonly #underWay = new Set<Call>();
  /** In the order of their replies. Kept as long as a call under way may have been counted with them. */
  #replied: Call[] = [];
  /** When the calls of others leave the window, soonest first; kept as long. */
  #othersLeaveMs: number[] = [];
  #othersAsOfMs = Number.NEGATIVE_INFINITY;
  /** In the order in which they came. */
  readonly #waiting = new Set<Waiter>();
  #alarm: AbortController | undefined;

  constructor(now: () => number, sleep: Sleep) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /** What the overview said when it was asked at `askedMs`; undefined where there is no limit. */
  set(limit: Limit | undefined, askedMs: number): void {
    if (askedMs < this.#limitAsOfMs) return;
    this.#change(limit);
    if (!limit) this.#isKnown = true;
    this.#letGo();
  }

  isFree(): boolean {
    return this.#waiting.size === 0 && this.#waitMs(this.#now()) <= 0;
  }

  takeTurn(signal?: AbortSignal | null): Promise<Turn> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = () => {
        this.#waiting.delete(waiter);
        reject(signal?.reason);
        this.#letGo();
      };
      const waiter: Waiter = {
        go(turn) {
          signal?.removeEventListener('abort', onAbort);
          resolve(turn);
        },
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#waiting.add(waiter);
      this.#letGo();
    });
  }

  /** Everyone whose turn it is; an alarm is set for the next. */
  #letGo(): void {
    this.#alarm?.abort();
    this.#alarm = undefined;
    for (const waiter of this.#waiting) {
      const waitMs = this.#waitMs(this.#now());
      if (waitMs > 0) {
        if (Number.isFinite(waitMs)) this.#setAlarm(Math.min(waitMs, LONGEST_SLEEP_MS));
        return;
      }
      this.#waiting.delete(waiter);
      waiter.go(this.#begin());
    }
  }

  #setAlarm(ms: number): void {
    const alarm = new AbortController();
    this.#alarm = alarm;
    this.#sleep(ms, alarm.signal).then(
      () => {
        if (this.#alarm === alarm) this.#letGo();
      },
      () => {},
    );
  }

  #begin(): Turn {
    const call: Call = {
      sentMs: this.#now(),
      repliedMs: Number.POSITIVE_INFINITY,
      isCounted: false,
    };
    this.#underWay.add(call);
    return {
      replied: (status, headers) => {
        if (this.#underWay.delete(call)) this.#onReply(call, status, headers);
      },
      lost: () => {
        if (this.#underWay.delete(call)) this.#keep(call);
        this.#forget();
        this.#letGo();
      },
    };
  }

  #onReply(call: Call, status: number, headers: Headers): void {
    const standing = readStanding(headers);
    const isRefusedByLimit = status === 429 && (standing?.remaining ?? 0) === 0;
    const isUncounted = isRefusedByLimit || (UNCOUNTED_STATUSES.includes(status) && !standing);
    if (status === 429) this.#closedUntilMs = this.#now() + readRetryAfterMs(headers);
    if (!isUncounted) {
      call.isCounted = standing !== undefined;
      this.#keep(call);
    }
    if (standing && call.sentMs >= this.#limitAsOfMs) this.#learn(call, standing);
    if (standing || !isUncounted) this.#isKnown = true;
    this.#forget();
    this.#letGo();
  }

  #keep(call: Call): void {
    call.repliedMs = this.#now();
    this.#replied.push(call);
  }

  #change(limit: Limit | undefined): void {
    if (limit?.requests === this.#limit?.requests && limit?.spanMs === this.#limit?.spanMs) return;
    this.#limit = limit;
    this.#limitAsOfMs = this.#now();
  }

  /** Infinite while only a reply can tell. */
  #waitMs(nowMs: number): number {
    const closedMs = this.#closedUntilMs - nowMs;
    if (!this.#isKnown && this.#underWay.size > 0) return Number.POSITIVE_INFINITY;
    if (!this.#limit) return closedMs;
    const own = this.#firstHeld(nowMs);
    const others = this.#firstOther(nowMs);
    const held =
      this.#underWay.size + (this.#replied.length - own) + (this.#othersLeaveMs.length - others);
    const mustLeave = held - this.#limit.requests + 1;
    if (mustLeave <= 0) return closedMs;
    return Math.max(closedMs, this.#leavingMs(own, others, mustLeave) - nowMs);
  }

  /** When so many, of ours and of others', will have left; infinite if it takes one under way. */
  #leavingMs(own: number, others: number, count: number): number {
    let leavesMs = 0;
    for (let left = 0; left < count; left++) {
      const ownMs = this.#leavesMs(this.#replied[own]);
      const otherMs = this.#othersLeaveMs[others] ?? Number.POSITIVE_INFINITY;
      leavesMs = Math.min(ownMs, otherMs);
      if (ownMs <= otherMs) own++;
      else others++;
    }
    return leavesMs;
  }

  #leavesMs(call: Call | undefined): number {
    return (call?.repliedMs ?? Number.POSITIVE_INFINITY) + this.#holdMs;
  }

  get #holdMs(): number {
    return (this.#limit?.spanMs ?? 0) + MARGIN_MS;
  }

  #learn(call: Call, { limit, remaining, resetMs }: Standing): void {
    const nowMs = this.#now();
    this.#change(limit);
    const counted = limit.requests - remaining;
    const possiblyOurs = this.#underWay.size + this.#replied.length - this.#firstHeld(call.sentMs);
    const known = this.#othersLeaveMs.length - this.#firstOther(call.sentMs);
    for (let unknown = counted - possiblyOurs - known; unknown > 0; unknown--) {
      this.#othersLeaveMs.push(nowMs + this.#holdMs);
      this.#othersAsOfMs = nowMs;
    }
    // The bounds cost a look at every call, and matter only where the key is shared.
    if (this.#othersLeaveMs.length === 0) return;
    this.#othersLeaveMs.sort((a, b) => a - b);
    const first = this.#firstOther(nowMs);
    if (call.sentMs >= this.#othersAsOfMs) {
      const surelyOurs = this.#replied.filter(
        (one) =>
          one.isCounted &&
          (one === call || one.repliedMs <= call.sentMs) &&
          one.sentMs > nowMs - limit.spanMs,
      ).length;
      const most = Math.max(counted - surelyOurs, 0);
      const excess = this.#othersLeaveMs.length - first - most;
      if (excess > 0) this.#othersLeaveMs.splice(first, excess);
    }
    if (resetMs !== undefined && first === this.#firstOther(call.sentMs)) {
      this.#believeReset(first, nowMs + resetMs + MARGIN_MS, call.sentMs);
    }
  }

  /** The oldest call counted leaves then: where it can be none of ours, it is one of the others'. */
  #believeReset(first: number, leavesMs: number, sentMs: number): void {
    const oldest = this.#othersLeaveMs[first];
    if (oldest === undefined || oldest <= leavesMs) return;
    const possiblyOurs = [...this.#replied.slice(this.#firstHeld(sentMs)), ...this.#underWay];
    const spanMs = this.#limit?.spanMs ?? 0;
    if (possiblyOurs.some((call) => call.sentMs + spanMs <= leavesMs)) return;
    this.#othersLeaveMs[first] = leavesMs;
  }

  #forget(): void {
    let sinceMs = this.#now();
    for (const { sentMs } of this.#underWay) {
      sinceMs = Math.min(sinceMs, sentMs);
      break;
    }
    this.#replied.splice(0, this.#firstHeld(sinceMs));
    this.#othersLeaveMs.splice(0, this.#firstOther(sinceMs));
  }

  /** The first reply whose call still fills a slot at that time. */
  #firstHeld(atMs: number): number {
    return firstAbove(this.#replied.length, atMs, (i) => this.#leavesMs(this.#replied[i]));
  }

  #firstOther(atMs: number): number {
    return firstAbove(this.#othersLeaveMs.length, atMs, (i) => this.#othersLeaveMs[i] as number);
  }
}

/** By halving: `valueAt` must not fall. */
function firstAbove(length: number, bound: number, valueAt: (index: number) => number): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (valueAt(middle) > bound) high = middle;
    else low = middle + 1;
  }
  return low;
}
