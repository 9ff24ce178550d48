/**
 * Holds back an address that fails to sign in again and again. It counts failures only, and callers
 * already remembered are not asked, so a partner keeps working beside a neighbour who is guessing.
 *
 * A sign-in under way holds one of the address's failures until it is decided: otherwise hundreds of
 * guesses sent at once would all be tried before the first was counted. Those for which none is left
 * wait, since the ones before them may turn out good, as after a restart they all do.
 */
import { neighbourhood } from '../addresses/addresses.ts';
import type { Clock } from '../clock.ts';
import { Ring } from '../limits/ring.ts';
import { Refusal } from './refusal.ts';

const FAILURES = 20;
const SPAN_MS = 60_000;
/** Addresses watched at a time; the one watched longest makes room. */
const WATCHED_ADDRESSES = 100_000;
/** Sign-ins of one address that wait for those before them; more are told to come back. */
const WAITING = 2_000;
const TOO_MANY_WAIT_MS = 1_000;

interface Watched {
  place: string;
  failures: Ring;
  underWay: number;
  waiting: PromiseWithResolvers<void>[];
}

export class FailedLogins {
  readonly #clock: Clock;
  readonly #watched = new Map<string, Watched>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Verifies credentials from this address: undefined counts as a failure, an error as nothing.
   * Rejects without verifying if the address has used up its failures.
   */
  async attempt<T>(address: string, verify: () => Promise<T | undefined>): Promise<T | undefined> {
    const watched = this.#watch(neighbourhood(address));
    await this.#begin(watched);
    try {
      const verified = await verify();
      if (verified === undefined) {
        watched.failures.record(this.#clock.monotonic(), FAILURES, SPAN_MS);
      }
      return verified;
    } finally {
      watched.underWay--;
      this.#admitWaiting(watched);
      this.#makeRoom(watched);
    }
  }

  #watch(place: string): Watched {
    let watched = this.#watched.get(place);
    if (!watched) {
      watched = { place, failures: new Ring(), underWay: 0, waiting: [] };
      this.#watched.set(place, watched);
    }
    return watched;
  }

  #begin(watched: Watched): Promise<void> | undefined {
    this.#checkFailures(watched);
    if (watched.waiting.length === 0 && this.#left(watched) > 0) {
      watched.underWay++;
      return undefined;
    }
    if (watched.waiting.length >= WAITING) throw heldBack(TOO_MANY_WAIT_MS);
    const turn = Promise.withResolvers<void>();
    watched.waiting.push(turn);
    return turn.promise;
  }

  /** How many more sign-ins may be tried, even if all those under way fail. */
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

  #checkFailures({ failures }: Watched): void {
    const standing = failures.standing(this.#clock.monotonic(), FAILURES, SPAN_MS);
    if (!standing.admitted) throw heldBack(standing.resetInMs);
  }

  /** Most sign-ins are good: they are forgotten, and push nobody who guesses out of sight. */
  #makeRoom(watched: Watched): void {
    const { place, failures, underWay } = watched;
    if (underWay === 0 && failures.idle(this.#clock.monotonic())) {
      if (this.#watched.get(place) === watched) this.#watched.delete(place);
    } else if (this.#watched.size > WATCHED_ADDRESSES) {
      this.#watched.delete(this.#watched.keys().next().value as string);
    }
  }
}

function heldBack(retryAfterMs: number): Refusal {
  return new Refusal('tooManyFailedLogins', { retryAfterMs });
}
