/** Which keys run into their limits: refusals of the last hour, counted by key and minute. */
import type { Clock } from '../clock.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** If more keys than this are refused in a minute, only the first of them are counted. */
const KEYS_PER_MINUTE = 10_000;
const MOST_SHOWN = 20;

export interface RefusedKey {
  keyId: string;
  refused: number;
}

export class RefusedKeys {
  readonly #clock: Clock;
  /** Keyed by minute, oldest first. */
  readonly #minutes = new Map<number, Map<string, number>>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(keyId: string): void {
    const minute = this.#minute();
    let counts = this.#minutes.get(minute);
    if (!counts) {
      this.#dropOld(minute);
      counts = new Map();
      this.#minutes.set(minute, counts);
    }
    const count = counts.get(keyId);
    if (count !== undefined || counts.size < KEYS_PER_MINUTE) counts.set(keyId, (count ?? 0) + 1);
  }

  /** The keys refused most in the last hour, most first. */
  top(): RefusedKey[] {
    this.#dropOld(this.#minute());
    const totals = new Map<string, number>();
    for (const counts of this.#minutes.values()) {
      for (const [keyId, count] of counts) totals.set(keyId, (totals.get(keyId) ?? 0) + count);
    }
    return [...totals]
      .map(([keyId, refused]) => ({ keyId, refused }))
      .sort((a, b) => b.refused - a.refused)
      .slice(0, MOST_SHOWN);
  }

  #minute(): number {
    return Math.floor(this.#clock.monotonic() / MINUTE_MS);
  }

  #dropOld(minute: number): void {
    for (const known of this.#minutes.keys()) {
      if (known > minute - MINUTES) return;
      this.#minutes.delete(known);
    }
  }
}
