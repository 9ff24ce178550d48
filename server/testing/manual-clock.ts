import type { Clock, Timer } from '../src/base/clock.ts';

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  #wallMs: number;
  #monotonicMs = 1_000;
  #timers = new Set<{ dueMs: number; run: () => void }>();

  constructor(startMs = Date.UTC(2026, 0, 31, 12)) {
    this.#wallMs = startMs;
  }

  now(): number {
    return Math.floor(this.#wallMs);
  }

  monotonic(): number {
    return this.#monotonicMs;
  }

  after(delayMs: number, run: () => void): Timer {
    const timer = { dueMs: this.#monotonicMs + Math.max(delayMs, 0), run };
    this.#timers.add(timer);
    return { cancel: () => this.#timers.delete(timer) };
  }

  /** When the next timer is due, in milliseconds from now; undefined if none is set. */
  get nextTimerInMs(): number | undefined {
    let soonest: number | undefined;
    for (const { dueMs } of this.#timers) {
      if (soonest === undefined || dueMs < soonest) soonest = dueMs;
    }
    return soonest === undefined ? undefined : soonest - this.#monotonicMs;
  }

  /** Moves both readings on, firing the timers that fall due, in order. */
  advance(ms: number): void {
    const endMs = this.#monotonicMs + ms;
    for (;;) {
      const due = [...this.#timers]
        .filter((timer) => timer.dueMs <= endMs)
        .sort((a, b) => a.dueMs - b.dueMs)[0];
      if (!due) break;
      this.#timers.delete(due);
      this.#moveTo(due.dueMs);
      due.run();
    }
    this.#moveTo(endMs);
  }

  /** Sets the wall clock alone, as an operator or NTP would. */
  setWallClock(ms: number): void {
    this.#wallMs = ms;
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMs += monotonicMs - this.#monotonicMs;
    this.#monotonicMs = monotonicMs;
  }
}
