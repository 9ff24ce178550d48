/**
 * Keeps a flood of the same failure out of the log. The first lines are written as they are, so that
 * there are examples to look into. While more of the same follow, one line each interval has their number.
 */

/** Written as they are. Also lets a failure that comes and goes show up each time. */
const EXAMPLES = 3;
const COUNTED_FOR_MS = 10_000;
/** With so many different failures at a time, further ones are written as they are. */
const MOST_COUNTED = 100;
/** Longer lines are rare, and would take memory for as long as they are counted. */
const LONGEST_KEY = 2_048;

interface Counted {
  written: number;
  repeated: number;
  /** Writes the line that has their number. */
  writeCount(repeated: number): void;
}

export class RepeatedLines {
  readonly #counted = new Map<string, Counted>();
  #timer: NodeJS.Timeout | undefined;

  /** Whether to write the line. Lines with the same key say the same; `writeCount` speaks for those not written. */
  isWritten(key: string, writeCount: (repeated: number) => void): boolean {
    const known = this.#counted.get(key);
    if (!known) {
      if (key.length <= LONGEST_KEY && this.#counted.size < MOST_COUNTED) {
        this.#counted.set(key, { written: 1, repeated: 0, writeCount });
        this.#timer ??= setInterval(() => this.flush(), COUNTED_FOR_MS).unref();
      }
      return true;
    }
    if (known.written < EXAMPLES) {
      known.written++;
      return true;
    }
    known.repeated++;
    return false;
  }

  /** Writes the numbers so far, and forgets what was not repeated. */
  flush(): void {
    for (const [key, counted] of this.#counted) {
      const { repeated, writeCount } = counted;
      counted.repeated = 0;
      if (repeated > 0) writeCount(repeated);
      else this.#counted.delete(key);
    }
    if (this.#counted.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
