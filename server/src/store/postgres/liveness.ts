/**
 * Whether PostgreSQL answers. Every connection of this thread reports the answers it gets. The watch for
 * key changes asks five times a second, so it also notices silence. This uses the machine's clock, not the
 * injected one, because a test cannot move the clock of a socket.
 */

/**
 * After this long without any answer, all waiting statements fail. This is noticed at the next missed
 * poll, so at the latest 3 s after the last answer.
 */
const SILENCE_MS = 2_500;

type Listener = () => void;

export class Liveness {
  readonly #silenceMs: number;
  readonly #onMissed: Listener[] = [];
  readonly #onReturned: Listener[] = [];
  #heardMs = Number.NEGATIVE_INFINITY;
  /** When the first unanswered poll since the last answer was sent. */
  #missingSinceMs: number | undefined;
  /** It let nobody in when a connection was last opened, because of the user or the password. */
  isRefused = false;

  constructor(silenceMs = SILENCE_MS) {
    this.#silenceMs = silenceMs;
  }

  /** The latest poll got no answer, and neither did any other statement since. */
  get isMissing(): boolean {
    return this.#missingSinceMs !== undefined;
  }

  /** Missing for so long that only the watch should still ask. */
  get isSilent(): boolean {
    return (
      this.#missingSinceMs !== undefined &&
      performance.now() - this.#missingSinceMs >= this.#silenceMs
    );
  }

  /** PostgreSQL answered, on any connection. */
  heard(): void {
    this.#heardMs = performance.now();
    if (this.#missingSinceMs === undefined) return;
    this.#missingSinceMs = undefined;
    for (const listener of this.#onReturned) listener();
  }

  /** A poll sent at `askedMs` got no answer. Ignored if another connection got one since. */
  missed(askedMs: number): void {
    if (this.#heardMs >= askedMs) return;
    this.#missingSinceMs ??= askedMs;
    for (const listener of this.#onMissed) listener();
  }

  /** Called at every missed poll. */
  onMissed(listener: Listener): void {
    this.#onMissed.push(listener);
  }

  /** Called at the first answer after a missed poll. */
  onReturned(listener: Listener): void {
    this.#onReturned.push(listener);
  }
}
