import { randomBytes } from 'node:crypto';
import type { Clock } from '../clock.ts';
import type { Standing, Window } from './limiter.ts';
import { Rings, Tally } from './rings.ts';

/** What Redis said when it last refused: "no" stays true until then, for these very numbers. */
interface Refusal {
  requests: number;
  seconds: number;
  /** Until here a "no" can be given without asking: the earliest a slot can free. */
  untilMs: number;
  /** What to tell the caller: the latest it can free. They differ by the time the answer took. */
  freesAtMs: number;
}

export class MirroredTally extends Tally {
  refusal: Refusal | undefined;
}

/**
 * What this node knows of the windows in Redis: everything it let in itself, so that it can hold
 * the limits alone while Redis is away and tell Redis afterwards. An admission's instant, on the
 * node's monotonic clock and unlike any other of this node, is also its id.
 */
export class RedisMirror {
  readonly tallies = new Rings((keyId, endpoint) => new MirroredTally(keyId, endpoint));
  /** Tallies with admissions that Redis may not have. */
  readonly unmerged = new Set<MirroredTally>();
  readonly node = randomBytes(5).toString('base64url');
  #clock: Clock;
  #lastMicros = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Now, in milliseconds, moved on by a microsecond if that instant is taken. */
  nextInstant(): number {
    this.#lastMicros = Math.max(Math.ceil(this.#clock.monotonic() * 1_000), this.#lastMicros + 1);
    return this.#lastMicros / 1_000;
  }

  idOf(instantMs: number): string {
    return `${this.node}.${Math.round(instantMs * 1_000).toString(36)}`;
  }

  /** Decides without Redis. */
  admitAlone(keyId: string, endpoint: string, window: Window, instantMs: number): Standing {
    const tally = this.tallies.ensure(keyId, endpoint);
    const spanMs = window.seconds * 1_000;
    const admitted = tally.ring.admit(instantMs, window.requests, spanMs);
    if (admitted) this.unmerged.add(tally);
    return { ...this.standingAlone(keyId, endpoint, window), admitted };
  }

  standingAlone(keyId: string, endpoint: string, window: Window): Standing {
    return this.tallies.standing(keyId, endpoint, this.#clock.monotonic(), window);
  }

  /** Notes what Redis decided about a request that this node sent at `instantMs`. */
  note(keyId: string, endpoint: string, window: Window, instantMs: number, said: Standing): void {
    const { requests, seconds } = window;
    const tally = this.tallies.ensure(keyId, endpoint);
    if (said.admitted) {
      tally.ring.record(instantMs, requests, seconds * 1_000);
    } else {
      const untilMs = instantMs + said.resetInMs;
      const freesAtMs = this.#clock.monotonic() + said.resetInMs;
      tally.refusal = { requests, seconds, untilMs, freesAtMs };
    }
  }

  /** A "no" that Redis need not be asked for. */
  refusal(keyId: string, endpoint: string, window: Window): Standing | undefined {
    const refusal = this.tallies.get(keyId, endpoint)?.refusal;
    if (refusal?.requests !== window.requests || refusal.seconds !== window.seconds) return;
    const nowMs = this.#clock.monotonic();
    if (nowMs >= refusal.untilMs) return;
    return { admitted: false, remaining: 0, resetInMs: refusal.freesAtMs - nowMs };
  }

  /** The tally's admissions that still matter, as ages in microseconds and ids by turns. */
  agesAndIds({ ring }: Tally): string[] {
    const nowMs = this.#clock.monotonic();
    const agesAndIds: string[] = [];
    const first = ring.size - ring.count(nowMs, ring.longestSpanMs);
    for (let position = first; position < ring.size; position++) {
      const instantMs = ring.at(position);
      const ageMicros = Math.max(Math.floor((nowMs - instantMs) * 1_000), 0);
      agesAndIds.push(String(ageMicros), this.idOf(instantMs));
    }
    return agesAndIds;
  }
}
