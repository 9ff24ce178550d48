import type { Clock, Timer } from '../base/clock.ts';
import type { Standing, Window } from './limiter.ts';
import { Ring, type WindowChange } from './ring.ts';

const SWEEP_EVERY_MS = 60_000;
const SWEEP_PAUSE_MS = 10;
/** Takes about 0.1 ms, so a sweep of a million rings never holds up a request. */
const SWEEP_AT_ONCE = 2_000;

const NEVER_USED = new Ring();

/** One key's admissions to one endpoint. */
export class Tally {
  readonly keyId: string;
  readonly endpoint: string;
  readonly ring = new Ring();

  constructor(keyId: string, endpoint: string) {
    this.keyId = keyId;
    this.endpoint = endpoint;
  }

  /** A limit may be changed at any time: what counted so far counts in the new window too. */
  use(nowMs: number, { requests, seconds }: Window): WindowChange {
    return this.ring.use(nowMs, requests, seconds * 1_000);
  }

  /** Whether it can be dropped. */
  idle(nowMs: number): boolean {
    return this.ring.idle(nowMs);
  }
}

/**
 * Every tally of one limiter. Endpoints come first because there are few of them: two lookups of
 * strings whose hash is known, measured 3 times as fast as one lookup of a joined string, and no
 * small map for each key.
 */
export class Rings<T extends Tally> {
  #byEndpoint = new Map<string, Map<string, T>>();
  #make: (keyId: string, endpoint: string) => T;

  constructor(make: (keyId: string, endpoint: string) => T) {
    this.#make = make;
  }

  get(keyId: string, endpoint: string): T | undefined {
    return this.#byEndpoint.get(endpoint)?.get(keyId);
  }

  ensure(keyId: string, endpoint: string): T {
    let byKey = this.#byEndpoint.get(endpoint);
    if (!byKey) {
      byKey = new Map();
      this.#byEndpoint.set(endpoint, byKey);
    }
    let tally = byKey.get(keyId);
    if (!tally) {
      tally = this.#make(keyId, endpoint);
      byKey.set(keyId, tally);
    }
    return tally;
  }

  /** Where a key stands, whether or not it has called yet. */
  standing(keyId: string, endpoint: string, nowMs: number, window: Window): Standing {
    const tally = this.get(keyId, endpoint);
    tally?.use(nowMs, window);
    const ring = tally?.ring ?? NEVER_USED;
    return ring.standing(nowMs, window.requests, window.seconds * 1_000);
  }

  *[Symbol.iterator](): Generator<T> {
    for (const byKey of this.#byEndpoint.values()) yield* byKey.values();
  }

  delete(tally: T): void {
    this.#byEndpoint.get(tally.endpoint)?.delete(tally.keyId);
  }
}

/** Drops idle rings every minute, a few at a time; a map may change while it is iterated. */
export function sweepIdle<T extends Tally>(rings: Rings<T>, clock: Clock): Timer {
  let left = rings[Symbol.iterator]();
  let timer = clock.after(SWEEP_EVERY_MS, sweep);
  return { cancel: () => timer.cancel() };

  function sweep(): void {
    const nowMs = clock.monotonic();
    for (let seen = 0; seen < SWEEP_AT_ONCE; seen++) {
      const { value: tally, done } = left.next();
      if (done) {
        left = rings[Symbol.iterator]();
        timer = clock.after(SWEEP_EVERY_MS, sweep);
        return;
      }
      if (tally.idle(nowMs)) rings.delete(tally);
    }
    timer = clock.after(SWEEP_PAUSE_MS, sweep);
  }
}
