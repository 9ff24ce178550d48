/**
 * Work that many ask for and that is done once for all who asked in the same turn of the event loop.
 * Never twice at a time: whoever asks while it runs is served by one more run.
 *
 *     idle ──ask──→ asked ──next turn──→ running ──→ idle
 *                     ↑                   │ ask
 *                     └────── again ←─────┘
 */
export class Coalesced {
  readonly #work: () => unknown;
  #state: 'idle' | 'asked' | 'running' | 'again' = 'idle';

  /** `work` deals with its own failures. */
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
    // Not awaited where there is nothing to wait for: the embedded queue answers in the same turn.
    const pending = this.#work();
    if (pending instanceof Promise) await pending;
    const isAskedAgain = (this.#state as string) === 'again';
    this.#state = 'idle';
    if (isAskedAgain) this.ask();
  }
}
