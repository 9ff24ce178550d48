/**
 * When each API key was used last while several of its key work. Only callers in an overlap are noted, so all other
 * calls cost nothing; those that are noted cost one write to a map.
 */
import type { Clock } from '../../base/clock.ts';

/** About 20 MB. If the database is away for so long that more are needed, further API keys are not noted. */
const MOST_API_KEYS = 100_000;

/** One of the API keys of a key. */
export interface UsedApiKey {
  readonly keyId: string;
  /** As attempts and midoffices have it: it stays the same when the master key is rotated. */
  readonly fingerprint: string;
}

export interface ApiKeyUse extends UsedApiKey {
  readonly atMs: number;
}

export class ApiKeyUses {
  readonly #clock: Clock;
  /** By id, because the same API key signs in from many addresses. */
  #uses = new Map<string, ApiKeyUse>();
  #waiting = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Uses in memory, including those that were taken and not released. */
  get waiting(): number {
    return this.#waiting;
  }

  note({ keyId, fingerprint }: UsedApiKey): void {
    const id = `${keyId} ${fingerprint}`;
    if (!this.#uses.has(id)) {
      if (this.#waiting >= MOST_API_KEYS) return;
      this.#waiting++;
    }
    this.#uses.set(id, { keyId, fingerprint, atMs: this.#clock.now() });
  }

  /** Hands over everything noted so far. */
  take(): Iterator<ApiKeyUse> {
    const taken = this.#uses;
    this.#uses = new Map();
    return taken.values();
  }

  /** So many taken uses have been written. */
  release(uses: number): void {
    this.#waiting -= uses;
  }
}
