/**
 * How many calls each partner may have in flight to the upstream, so that no partner can keep it from
 * the others. Counted by partner and not by key, because a partner may have any number of keys.
 *
 * The first few calls of a partner get in while there is any room. Beyond those it may hold twice
 * as many as it leaves free outside the reserve: 256 of 512 alone, 153 each of two, 109 each of
 * three. Only first calls can use up the reserve, 8 per partner, so it takes 16 partners acting
 * together to keep another from its own first calls. One fixed share would be simpler, but would have
 * to be small to protect the others, and would then limit a large partner on a quiet day.
 *
 * A call beyond that waits a little for another call of its partner to end. It waits before its limit
 * is checked, so a call that is refused here has used nothing up.
 */
import type { Clock, Timer } from '../base/clock.ts';
import type { ForwardLimits } from './forward-limits.ts';
import { Refusal } from './refusal.ts';

const RETRY_AFTER_MS = 1_000;

type Limits = Pick<
  ForwardLimits,
  'callsInFlight' | 'firstCalls' | 'reservedCalls' | 'waitMs' | 'longestQueue'
>;

interface Share {
  held: number;
  waiting: Waiting[];
}

interface Waiting {
  enter: () => void;
  timer: Timer;
}

export class CallsInFlight {
  readonly #limits: Limits;
  readonly #clock: Clock;
  readonly #shares = new Map<string, Share>();
  /** Shares with waiting calls; the one whose turn is next comes first. */
  readonly #turns = new Set<Share>();
  #free: number;

  constructor(limits: Limits, clock: Clock) {
    this.#limits = limits;
    this.#clock = clock;
    this.#free = limits.callsInFlight;
  }

  /** Undefined once the call is in; a promise while it waits, rejected with a Refusal after too long. */
  enter(partnerId: string): Promise<void> | undefined {
    let share = this.#shares.get(partnerId);
    if (!share) {
      share = { held: 0, waiting: [] };
      this.#shares.set(partnerId, share);
    }
    if (share.waiting.length === 0 && this.#hasRoomFor(share)) {
      this.#take(share);
      return undefined;
    }
    return this.#wait(partnerId, share);
  }

  /** Called once for each call that entered. */
  leave(partnerId: string): void {
    const share = this.#shares.get(partnerId);
    if (!share) throw new Error('more calls left than entered');
    share.held--;
    this.#free++;
    if (this.#turns.size > 0) this.#admitWaiting();
    this.#forgetIfEmpty(partnerId, share);
  }

  #hasRoomFor({ held }: Share): boolean {
    const { firstCalls, reservedCalls } = this.#limits;
    return held < firstCalls ? this.#free > 0 : held < 2 * (this.#free - reservedCalls);
  }

  #take(share: Share): void {
    share.held++;
    this.#free--;
  }

  #wait(partnerId: string, share: Share): Promise<void> {
    const refusal = () => new Refusal('tooManyCallsInFlight', { retryAfterMs: RETRY_AFTER_MS });
    if (share.waiting.length >= this.#limits.longestQueue) return Promise.reject(refusal());
    return new Promise((enter, refuse) => {
      const waiting: Waiting = {
        enter,
        timer: this.#clock.after(this.#limits.waitMs, () => {
          share.waiting.splice(share.waiting.indexOf(waiting), 1);
          if (share.waiting.length === 0) this.#turns.delete(share);
          this.#forgetIfEmpty(partnerId, share);
          refuse(refusal());
        }),
      };
      share.waiting.push(waiting);
      this.#turns.add(share);
    });
  }

  /** Partners take turns: after a call enters, its partner moves to the end of the line. */
  #admitWaiting(): void {
    for (const share of this.#turns) {
      if (!this.#hasRoomFor(share)) continue;
      this.#turns.delete(share);
      const next = share.waiting.shift();
      if (share.waiting.length > 0) this.#turns.add(share);
      this.#take(share);
      next?.timer.cancel();
      next?.enter();
    }
  }

  #forgetIfEmpty(partnerId: string, { held, waiting }: Share): void {
    if (held === 0 && waiting.length === 0) this.#shares.delete(partnerId);
  }
}

/**
 * The slot of one call in flight. It is freed when both the caller and the upstream are done with the
 * call. It must not refer to the call or its exchange: that would keep a finished call in memory until
 * the next full garbage collection, which made a call take 1.4 times as long.
 */
export class Slot {
  readonly #free: () => void;
  #users = 1;

  constructor(free: () => void) {
    this.#free = free;
  }

  share(): void {
    this.#users++;
  }

  release(): void {
    this.#users--;
    if (this.#users === 0) this.#free();
  }
}
