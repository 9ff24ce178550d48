/**
 * How many calls each partner may have in flight to the upstream, so that no partner can take it from
 * the others. Counted by partner and not by key, since a partner may have any number of keys.
 *
 * The first few calls of a partner get in while there is any room. Beyond those it may hold twice
 * as many as it leaves free outside the reserve: 256 of 512 alone, 153 each of two, 109 each of
 * three. Only first calls can use up the reserve, 8 per partner, so it takes 16 partners acting
 * together to keep another from its own first calls. One fixed share would be simpler, but would have
 * to be small to protect the others, and would then hold up a large partner on a quiet day.
 *
 * A call beyond that waits a little for another call of its partner to end. It waits before its limit
 * is checked, so a call that is refused here has used nothing up.
 */
import type { Clock, Timer } from '../clock.ts';
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
  /** Shares with calls that wait, the one whose turn is next first. */
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

  /** Once for each call that entered. */
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

  /** Partners take turns; one that was let in goes to the end, where the loop meets it again. */
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
 * One call's share of what may be in flight. It is freed when neither the caller nor the upstream is
 * busy with the call any more. It must not refer to the call or its exchange: a finished call would
 * then keep all of that until the next full garbage collection, which made a call take 1.4 times as long.
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
