/**
 * Holds back an address that fails to sign in again and again. It counts failures only, and callers
 * already remembered are not asked, so a partner keeps working beside a neighbour who is guessing.
 */
import { isIPv6 } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Clock } from '../clock.ts';
import { Ring } from '../limits/ring.ts';
import { Refusal } from './refusal.ts';

const FAILURES = 20;
const SPAN_MS = 60_000;
/** Addresses watched at a time; the one that failed first makes room. */
const WATCHED_ADDRESSES = 100_000;

export class FailedLogins {
  readonly #clock: Clock;
  readonly #failures = new Map<string, Ring>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Throws if this address has used up its failures. */
  check(address: string): void {
    const ring = this.#failures.get(neighbourhood(address));
    if (!ring) return;
    const standing = ring.standing(this.#clock.monotonic(), FAILURES, SPAN_MS);
    if (!standing.admitted) {
      throw new Refusal('tooManyFailedLogins', { retryAfterMs: standing.resetInMs });
    }
  }

  /** Counts one failure; throws if it is one too many (of several that were tried at once). */
  count(address: string): void {
    const place = neighbourhood(address);
    let ring = this.#failures.get(place);
    if (!ring) {
      if (this.#failures.size >= WATCHED_ADDRESSES) {
        this.#failures.delete(this.#failures.keys().next().value as string);
      }
      ring = new Ring();
      this.#failures.set(place, ring);
    }
    const nowMs = this.#clock.monotonic();
    if (!ring.admit(nowMs, FAILURES, SPAN_MS)) {
      const { resetInMs } = ring.standing(nowMs, FAILURES, SPAN_MS);
      throw new Refusal('tooManyFailedLogins', { retryAfterMs: resetInMs });
    }
  }
}

/** One caller can have all of an IPv6 /64, so that counts as one address. */
function neighbourhood(address: string): string {
  if (!isIPv6(address)) return address;
  return ipaddr.IPv6.parse(address).toNormalizedString().split(':').slice(0, 4).join(':');
}
