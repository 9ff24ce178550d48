import { type Limit, type RateLimitState, readRateLimit, readRetryAfterMs } from './rate-limit.ts';

/**
 * The caller's view of one limit. The service counts a call at some moment between its sending and its
 * reply. So a slot is certainly free once the window has passed since the reply to the N-th last call, and
 * then the next call is sent. This costs one round trip per window.
 *
 * Calls that others make with the same key are known only from the replies, as bounds:
 * - at least as many as the service counted beyond all of our calls that it may have counted;
 * - at most as many as it counted beyond those of our calls that it must have counted.
 */
export interface Turn {
  /** The status and headers of the reply have arrived. */
  replied(status: number, headers: Headers): void;
  /** No reply came. The service may or may not have counted the call. */
  lost(): void;
}

export type Sleep = (ms: number, signal?: AbortSignal | null) => Promise<void>;

interface Call {
  sentMs: number;
  /** Infinite while the call is in flight. */
  repliedMs: number;
  /** Whether the service has certainly counted it. */
  isCounted: boolean;
}

interface Waiter {
  go(turn: Turn): void;
}

/** The service's clock may run a little slower than ours. */
const MARGIN_MS = 10;
/** Above this, setTimeout fires at once. Windows can be longer, up to 31 days. */
const LONGEST_SLEEP_MS = 2 ** 31 - 1;
/** Refusals before the limit check, unless the reply has rate-limit headers. */
const UNCOUNTED_STATUSES: readonly number[] = [401, 403, 404, 405, 413];

export class PacedWindow {
  readonly #now: () => number;
  readonly #sleep: Sleep;
  /** Undefined if there is no limit, or if it is not known. */
  #limit: Limit | undefined;
  /** Replies to calls sent before this time may describe an earlier limit. */
  #limitAsOfMs = Number.NEGATIVE_INFINITY;
  /** The key's earlier use is unknown until the first reply. Until then, calls go one at a time. */
  #isKnown = false;
  #closedUntilMs = Number.NEGATIVE_INFINITY;
  readonly #inFlight = new Set<Call>();
  /** In the order of their replies. Kept for as long as a call in flight may have been counted with them. */
  #replied: Call[] = [];
  /** When the calls of others leave the window, soonest first. Kept for as long as `#replied`. */
  #othersLeaveMs: number[] = [];
  #othersAsOfMs = Number.NEGATIVE_INFINITY;
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiter>();
  #alarm: AbortController | undefined;

  constructor(now: () => number, sleep: Sleep) {
    this.#now = now;
    this.#sleep = sleep;
  }

  /** Sets the limit from an overview that was requested at `askedMs`; undefined means no limit. */
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

  /** Lets everyone go whose turn it is, and sets an alarm for the next. */
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
    this.#inFlight.add(call);
    return {
      replied: (status, headers) => {
        if (this.#inFlight.delete(call)) this.#onReply(call, status, headers);
      },
      lost: () => {
        if (this.#inFlight.delete(call)) this.#keep(call);
        this.#forget();
        this.#letGo();
      },
    };
  }

  #onReply(call: Call, status: number, headers: Headers): void {
    const state = readRateLimit(headers);
    const isRefusedByLimit = status === 429 && (state?.remaining ?? 0) === 0;
    const isUncounted = isRefusedByLimit || (UNCOUNTED_STATUSES.includes(status) && !state);
    if (status === 429) this.#closedUntilMs = this.#now() + readRetryAfterMs(headers);
    if (!isUncounted) {
      call.isCounted = state !== undefined;
      this.#keep(call);
    }
    if (state && call.sentMs >= this.#limitAsOfMs) this.#learn(call, state);
    if (state || !isUncounted) this.#isKnown = true;
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

  /** Infinite if only a reply can end the wait. */
  #waitMs(nowMs: number): number {
    const closedMs = this.#closedUntilMs - nowMs;
    if (!this.#isKnown && this.#inFlight.size > 0) return Number.POSITIVE_INFINITY;
    if (!this.#limit) return closedMs;
    const own = this.#firstHeld(nowMs);
    const others = this.#firstOther(nowMs);
    const held =
      this.#inFlight.size + (this.#replied.length - own) + (this.#othersLeaveMs.length - others);
    const mustLeave = held - this.#limit.requests + 1;
    if (mustLeave <= 0) return closedMs;
    return Math.max(closedMs, this.#leavingMs(own, others, mustLeave) - nowMs);
  }

  /** When `count` calls, ours or others', will have left; infinite if that includes one in flight. */
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

  #learn(call: Call, { limit, remaining, resetMs }: RateLimitState): void {
    const nowMs = this.#now();
    this.#change(limit);
    const counted = limit.requests - remaining;
    const possiblyOurs = this.#inFlight.size + this.#replied.length - this.#firstHeld(call.sentMs);
    const known = this.#othersLeaveMs.length - this.#firstOther(call.sentMs);
    for (let unknown = counted - possiblyOurs - known; unknown > 0; unknown--) {
      this.#othersLeaveMs.push(nowMs + this.#holdMs);
      this.#othersAsOfMs = nowMs;
    }
    // The bounds cost a pass over all calls, and matter only if the key is shared.
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

  /** The oldest counted call leaves at that time. If it cannot be one of ours, it is someone else's. */
  #believeReset(first: number, leavesMs: number, sentMs: number): void {
    const oldest = this.#othersLeaveMs[first];
    if (oldest === undefined || oldest <= leavesMs) return;
    const possiblyOurs = [...this.#replied.slice(this.#firstHeld(sentMs)), ...this.#inFlight];
    const spanMs = this.#limit?.spanMs ?? 0;
    if (possiblyOurs.some((call) => call.sentMs + spanMs <= leavesMs)) return;
    this.#othersLeaveMs[first] = leavesMs;
  }

  #forget(): void {
    let sinceMs = this.#now();
    for (const { sentMs } of this.#inFlight) {
      sinceMs = Math.min(sinceMs, sentMs);
      break;
    }
    this.#replied.splice(0, this.#firstHeld(sinceMs));
    this.#othersLeaveMs.splice(0, this.#firstOther(sinceMs));
  }

  /** The first reply whose call still holds a slot at that time. */
  #firstHeld(atMs: number): number {
    return firstAbove(this.#replied.length, atMs, (i) => this.#leavesMs(this.#replied[i]));
  }

  #firstOther(atMs: number): number {
    return firstAbove(this.#othersLeaveMs.length, atMs, (i) => this.#othersLeaveMs[i] as number);
  }
}

/** Binary search: `valueAt` must not decrease. */
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
