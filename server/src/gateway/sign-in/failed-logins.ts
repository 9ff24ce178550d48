/**
 * Holds back an address that keeps failing to sign in, with an API key or to the console. Only failures
 * count, and callers that are already signed in are not checked, so a partner keeps working while
 * someone at the same address is guessing.
 *
 * A sign-in in progress reserves one of the address's failures until it is decided. Otherwise hundreds
 * of guesses sent at once would all be tried before the first was counted. When none is left, further
 * sign-ins wait, because the ones in progress may succeed: after a restart, they all do.
 *
 * Nodes with a Redis count failures together, once they have happened. So sign-ins that succeed do not wait for it.
 */
import { neighbourhood as neighbourhoodOf } from '../../base/addresses/addresses.ts';
import type { Clock } from '../../base/clock.ts';
import type { CountFailure, Limiter } from '../../limiter/limiter.ts';
import { Ring } from '../../limiter/ring.ts';

const FAILURES = 20;
const SPAN_MS = 60_000;
/** Addresses tracked at a time; beyond this, the oldest is dropped. */
const WATCHED_ADDRESSES = 100_000;
/** Sign-ins of one address that may wait; further ones are refused. */
const WAITING = 2_000;
const TOO_MANY_WAIT_MS = 1_000;

/** Thrown instead of verifying. Not an Error, because nobody needs its stack and every guess creates one. */
export class TooManyFailedLogins {
  readonly retryAfterMs: number;

  constructor(retryAfterMs: number) {
    this.retryAfterMs = retryAfterMs;
  }
}

interface Watched {
  neighbourhood: string;
  failures: Ring;
  underWay: number;
  waiting: PromiseWithResolvers<void>[];
}

export class FailedLogins {
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();
  readonly #countShared: CountFailure | undefined;
  /** Addresses that have used up their failures on all nodes together, and until when. */
  readonly #heldUntilMs = new Map<string, number>();

  constructor(clock: Clock, shared: Pick<Limiter, 'shareFailures'> = {}) {
    this.#clock = clock;
    this.#countShared = shared.shareFailures?.({
      failures: FAILURES,
      spanMs: SPAN_MS,
      onHeld: (neighbourhood, freesInMs) => this.#hold(neighbourhood, freesInMs),
    });
  }

  /**
   * Verifies credentials from this address. Undefined counts as a failure, an error does not. Rejects
   * with TooManyFailedLogins, without verifying, if the address has used up its failures.
   */
  async attempt<T>(address: string, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const watched = this.#watch(neighbourhoodOf(address));
    await this.#begin(watched);
    try {
      const verified = await verify();
      if (verified === undefined) await this.#count(watched);
      return verified;
    } finally {
      watched.underWay--;
      this.#admitWaiting(watched);
      this.#makeRoom(watched);
    }
  }

  /** Throws TooManyFailedLogins if the address has used up its failures. Nothing is counted. */
  check(address: string): void {
    const neighbourhood = neighbourhoodOf(address);
    this.#checkHeld(neighbourhood);
    const watched = this.#watched.get(neighbourhood);
    if (watched) this.#checkFailures(watched);
  }

  /** One too many on all nodes together is not told either. */
  async #count({ neighbourhood, failures }: Watched): Promise<void> {
    const counted = await this.#countShared?.(neighbourhood);
    if (counted && counted.freesInMs > 0) this.#hold(neighbourhood, counted.freesInMs);
    if (counted && !counted.isCounted) throw new TooManyFailedLogins(counted.freesInMs);
    failures.record(this.#clock.monotonic(), FAILURES, SPAN_MS);
  }

  #hold(neighbourhood: string, freesInMs: number): void {
    const held = this.#heldUntilMs;
    // So that the oldest is the one that is free the soonest.
    held.delete(neighbourhood);
    if (held.size >= WATCHED_ADDRESSES) held.delete(held.keys().next().value as string);
    held.set(neighbourhood, this.#clock.monotonic() + freesInMs);
  }

  #checkHeld(neighbourhood: string): void {
    const untilMs = this.#heldUntilMs.get(neighbourhood);
    if (untilMs === undefined) return;
    const leftMs = untilMs - this.#clock.monotonic();
    if (leftMs > 0) throw new TooManyFailedLogins(leftMs);
    this.#heldUntilMs.delete(neighbourhood);
  }

  #watch(neighbourhood: string): Watched {
    let watched = this.#watched.get(neighbourhood);
    if (!watched) {
      watched = { neighbourhood, failures: new Ring(), underWay: 0, waiting: [] };
      this.#watched.set(neighbourhood, watched);
    }
    return watched;
  }

  #begin(watched: Watched): Promise<void> | undefined {
    this.#checkFailures(watched);
    if (watched.waiting.length === 0 && this.#left(watched) > 0) {
      watched.underWay++;
      return undefined;
    }
    if (watched.waiting.length >= WAITING) throw new TooManyFailedLogins(TOO_MANY_WAIT_MS);
    const turn = Promise.withResolvers<void>();
    watched.waiting.push(turn);
    return turn.promise;
  }

  /** How many more sign-ins may be verified, even if all those in progress fail. */
  #left({ failures, underWay }: Watched): number {
    return FAILURES - underWay - failures.count(this.#clock.monotonic(), SPAN_MS);
  }

  #admitWaiting(watched: Watched): void {
    const { waiting } = watched;
    try {
      this.#checkFailures(watched);
    } catch (error) {
      for (const turn of waiting.splice(0)) turn.reject(error);
      return;
    }
    for (const turn of waiting.splice(0, this.#left(watched))) {
      watched.underWay++;
      turn.resolve();
    }
  }

  #checkFailures({ neighbourhood, failures }: Watched): void {
    this.#checkHeld(neighbourhood);
    const standing = failures.standing(this.#clock.monotonic(), FAILURES, SPAN_MS);
    if (!standing.admitted) throw new TooManyFailedLogins(standing.resetInMs);
  }

  /** Most sign-ins succeed; dropping those at once leaves room for addresses that guess. */
  #makeRoom(watched: Watched): void {
    const { neighbourhood, failures, underWay } = watched;
    if (underWay === 0 && failures.idle(this.#clock.monotonic())) {
      if (this.#watched.get(neighbourhood) === watched) this.#watched.delete(neighbourhood);
    } else if (this.#watched.size > WATCHED_ADDRESSES) {
      this.#watched.delete(this.#watched.keys().next().value as string);
    }
  }
}
