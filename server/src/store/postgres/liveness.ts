/**
 * Whether PostgreSQL answers. Every connection of this thread reports what it hears; the watch for
 * key changes asks five times a second and so reports silence, too. It reads the machine's clock and
 * not the injected one: sockets know nothing of a clock that a test moves.
 */

/**
 * After this long without any answer, whatever waits for one is given up. It shows at the next
 * question that is missed, one a second: 3 s after the last answer at the latest.
 */
const SILENCE_MS = 2_500;

type Listener = () => void;

export class Heartbeat {
  readonly #silenceMs: number;
  readonly #onMissed: Listener[] = [];
  readonly #onReturned: Listener[] = [];
  #heardMs = Number.NEGATIVE_INFINITY;
  /** When the first question was asked of those that got no answer since the last one that did. */
  #missingSinceMs: number | undefined;

  constructor(silenceMs = SILENCE_MS) {
    this.#silenceMs = silenceMs;
  }

  /** The latest question got no answer, and no other one has since it was asked. */
  get isMissing(): boolean {
    return this.#missingSinceMs !== undefined;
  }

  /** Missing for so long that nothing but the watch should ask. */
  get isSilent(): boolean {
    return (
      this.#missingSinceMs !== undefined &&
      performance.now() - this.#missingSinceMs >= this.#silenceMs
    );
  }

  /** PostgreSQL answered something, on any connection. */
  heard(): void {
    this.#heardMs = performance.now();
    if (this.#missingSinceMs === undefined) return;
    this.#missingSinceMs = undefined;
    for (const listener of this.#onReturned) listener();
  }

  /** A question of `askedMs` got no answer. One lost connection alone is not a lost PostgreSQL. */
  missed(askedMs: number): void {
    if (this.#heardMs >= askedMs) return;
    this.#missingSinceMs ??= askedMs;
    for (const listener of this.#onMissed) listener();
  }

  /** Called at every question that is missed. */
  onMissed(listener: Listener): void {
    this.#onMissed.push(listener);
  }

  /** Called at the first answer after one was missed. */
  onReturned(listener: Listener): void {
    this.#onReturned.push(listener);
  }
}
