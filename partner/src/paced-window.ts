/**
 * The caller's side of one limit. The service counts a call somewhere between its sending and its
 * reply, so a slot is free again for sure once the window has passed since the reply of the N-th
 * last call: that is when the next one is sent. What is lost by it is a round trip per window.
 */
export interface Turn {
  /** The reply is here (or will never be); `refused` calls were not counted. */
  done(headers?: Headers, refused?: boolean): void;
}

/** The service's clock may run a little slower than ours. */
const MARGIN_MS = 10;

interface Counted {
  /** When its reply came; infinite while it is under way. */
  atMs: number;
}

export class PacedWindow {
  readonly #now: () => number;
  readonly #sleep: (ms: number, signal?: AbortSignal | null) => Promise<void>;
  /** Undefined: no limit, or none that is known yet. */
  #requests: number | undefined;
  #spanMs = 0;
  #counted: Counted[] = [];
  /** What the key has used before is not known until the first reply; until then, one at a time. */
  #isKnown = false;
  #closedUntilMs = 0;
  /** Those who wait go one after another, in the order in which they came. */
  #line: Promise<void> = Promise.resolve();
  #changed: (() => void)[] = [];

  constructor(
    now: () => number,
    sleep: (ms: number, signal?: AbortSignal | null) => Promise<void>,
  ) {
    this.#now = now;
    this.#sleep = sleep;
  }

  set(requests: number | undefined, seconds: number): void {
    this.#requests = requests;
    this.#spanMs = seconds * 1_000;
    this.#wake();
  }

  async takeTurn(signal?: AbortSignal | null): Promise<Turn> {
    const before = this.#line;
    let release: () => void = () => {};
    this.#line = new Promise((resolve) => {
      release = resolve;
    });
    try {
      await before;
      await this.#untilFree(signal);
      const counted: Counted = { atMs: Number.POSITIVE_INFINITY };
      this.#counted.push(counted);
      return { done: (headers, refused) => this.#done(counted, headers, refused) };
    } finally {
      release();
    }
  }

  async #untilFree(signal?: AbortSignal | null): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const waitMs = this.#waitMs();
      if (waitMs <= 0) return;
      const change = new Promise<void>((resolve) => this.#changed.push(resolve));
      await (Number.isFinite(waitMs)
        ? Promise.race([this.#sleep(waitMs, signal), change])
        : change);
    }
  }

  /** Infinite while only a reply can tell. */
  #waitMs(): number {
    const nowMs = this.#now();
    const closedMs = this.#closedUntilMs - nowMs;
    if (this.#requests === undefined) {
      // Before the overview is read: its own first call.
      return this.#isKnown || this.#counted.length === 0 ? closedMs : Number.POSITIVE_INFINITY;
    }
    if (!this.#isKnown && this.#counted.length > 0) return Number.POSITIVE_INFINITY;
    this.#counted = this.#counted.filter(({ atMs }) => atMs + this.#spanMs + MARGIN_MS > nowMs);
    if (this.#counted.length < this.#requests) return closedMs;
    const replies = this.#counted.map(({ atMs }) => atMs).sort((a, b) => a - b);
    const freesAtMs = (replies[this.#counted.length - this.#requests] as number) + this.#spanMs;
    return Math.max(closedMs, freesAtMs + MARGIN_MS - nowMs);
  }

  #done(counted: Counted, headers?: Headers, refused = false): void {
    const nowMs = this.#now();
    counted.atMs = nowMs;
    if (refused) {
      this.#counted = this.#counted.filter((one) => one !== counted);
      const retryAfter = Number(headers?.get('retry-after') ?? 1);
      this.#closedUntilMs = nowMs + (Number.isFinite(retryAfter) ? retryAfter : 1) * 1_000;
    }
    if (headers) this.#learn(headers, nowMs);
    this.#isKnown = true;
    this.#wake();
  }

  /** The service says how the limit stands: it may have been changed, or used by someone else. */
  #learn(headers: Headers, nowMs: number): void {
    const requests = Number(headers.get('x-ratelimit-requestsnumber') ?? Number.NaN);
    const seconds = Number(headers.get('x-ratelimit-secondsnumber') ?? Number.NaN);
    const remaining = Number(headers.get('x-ratelimit-remaining') ?? Number.NaN);
    if (!(requests > 0) || !(seconds > 0) || !(remaining >= 0)) return;
    this.#requests = requests;
    this.#spanMs = seconds * 1_000;
    // Only calls whose reply is here are surely among those that the service counted.
    const ours = this.#counted.length;
    const used = requests - remaining;
    for (let unknown = used - ours; unknown > 0; unknown--) this.#counted.push({ atMs: nowMs });
  }

  #wake(): void {
    for (const resolve of this.#changed.splice(0)) resolve();
  }
}
