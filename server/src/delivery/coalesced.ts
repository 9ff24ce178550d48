/**
 * Work that runs once for all requests of the same turn of the event loop. It never runs twice at the
 * same time: requests during a run are served by one more run.
 *
 *     idle ──ask──→ asked ──next turn──→ running ──→ idle
 *                     ↑                   │ ask
 *                     └────── again ←─────┘
 */
export class Coalesced {
  readonly #work: () => unknown;
  #state: 'idle' | 'asked' | 'running' | 'again' = 'idle';

  /** `work` handles its own failures. */
  constructor(work: () => unknown) {
    this.#work = work;
  }

  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  ask(): void {
    if (this.#state === 'running') this.#state = 'again';
    if (this.#state !== 'idle') return;
    this.#state = 'asked';
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    this.#state = 'running';
    // Awaited only if it is a promise: the embedded queue answers in the same turn.
    const pending = this.#work();
    if (pending instanceof Promise) await pending;
    const isAskedAgain = (this.#state as string) === 'again';
    this.#state = 'idle';
    if (isAskedAgain) this.ask();
  }
}
