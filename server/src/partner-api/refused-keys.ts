/** Which keys run into their limits: refusals by key, in minutes for an hour and in hours for a week. */
import type { Clock } from '../clock.ts';

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** If more keys than this are refused in a minute, only the first of them are counted. */
const KEYS_PER_MINUTE = 10_000;
/** Of an hour that is over, only the keys refused most are kept; a week of them takes a few megabytes. */
const KEYS_PER_HOUR = 1_000;
const MOST_SHOWN = 20;

const HOURS = { hour: 0, day: 24, week: 7 * 24 };
export type RefusalSpan = keyof typeof HOURS;

export interface RefusedKey {
  keyId: string;
  refused: number;
}

type Counts = Map<string, number>;

export class RefusedKeys {
  readonly #clock: Clock;
  /** The last hour, keyed by minute, oldest first. */
  readonly #minutes = new Map<number, Counts>();
  /** What came before, keyed by hour, oldest first. */
  readonly #hours = new Map<number, Counts>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(keyId: string): void {
    const minute = this.#minute();
    let counts = this.#minutes.get(minute);
    if (!counts) {
      this.#moveOld(minute);
      counts = new Map();
      this.#minutes.set(minute, counts);
    }
    const count = counts.get(keyId);
    if (count !== undefined || counts.size < KEYS_PER_MINUTE) counts.set(keyId, (count ?? 0) + 1);
  }

  /** The keys refused most in the span, most first. A day and a week are exact to within an hour. */
  top(span: RefusalSpan = 'hour'): RefusedKey[] {
    const minute = this.#minute();
    this.#moveOld(minute);
    const totals: Counts = new Map();
    for (const counts of this.#minutes.values()) add(totals, counts);
    const oldest = hourOf(minute) - HOURS[span];
    for (const [hour, counts] of this.#hours) {
      if (span !== 'hour' && hour >= oldest) add(totals, counts);
    }
    return mostRefused(totals, MOST_SHOWN).map(([keyId, refused]) => ({ keyId, refused }));
  }

  #minute(): number {
    return Math.floor(this.#clock.monotonic() / MINUTE_MS);
  }

  /** Minutes of more than an hour ago become a part of their hour; hours of more than a week ago are dropped. */
  #moveOld(now: number): void {
    for (const [minute, counts] of this.#minutes) {
      if (minute > now - MINUTES) break;
      this.#minutes.delete(minute);
      const hour = hourOf(minute);
      const kept = this.#hours.get(hour) ?? new Map();
      add(kept, counts);
      this.#hours.set(
        hour,
        kept.size > KEYS_PER_HOUR ? new Map(mostRefused(kept, KEYS_PER_HOUR)) : kept,
      );
    }
    for (const hour of this.#hours.keys()) {
      if (hour >= hourOf(now) - HOURS.week) break;
      this.#hours.delete(hour);
    }
  }
}

function hourOf(minute: number): number {
  return Math.floor(minute / MINUTES);
}

function add(totals: Counts, counts: Counts): void {
  for (const [keyId, count] of counts) totals.set(keyId, (totals.get(keyId) ?? 0) + count);
}

function mostRefused(counts: Counts, limit: number): [keyId: string, refused: number][] {
  return [...counts].sort(([, a], [, b]) => b - a).slice(0, limit);
}
