import type { Admission, AdmissionJournal } from '../src/limiter/limiter.ts';

/** A journal in memory. It outlives the limiters that a test creates on it, as a database would. */
export class MemoryJournal implements AdmissionJournal {
  /** One entry for each append, in order. */
  readonly appends: Admission[][] = [];
  readonly prunedAtMs: number[] = [];
  /** Set to make the next calls fail. */
  failure: Error | undefined;
  /** Set to make the next append fail although it is written. */
  failsAfterWriting: Error | undefined;
  /** The number of appends, successful or not. */
  asked = 0;
  #held: PromiseWithResolvers<void> | undefined;

  get admissions(): Admission[] {
    return this.appends.flat();
  }

  /** Appends stay unfinished until the returned function is called. */
  hold(): () => void {
    const held = Promise.withResolvers<void>();
    this.#held = held;
    return () => {
      this.#held = undefined;
      held.resolve();
    };
  }

  append(admissions: readonly Admission[]): void | Promise<void> {
    if (this.#held) return this.#held.promise.then(() => this.#write(admissions));
    this.#write(admissions);
  }

  async *load(nowMs: number): AsyncGenerator<Admission> {
    for (const admission of this.admissions) {
      if (admission.keepUntilMs > nowMs) yield admission;
    }
  }

  async prune(nowMs: number): Promise<void> {
    if (this.failure) throw this.failure;
    this.prunedAtMs.push(nowMs);
  }

  #write(admissions: readonly Admission[]): void {
    this.asked++;
    if (this.failure) throw this.failure;
    this.appends.push([...admissions]);
    const failure = this.failsAfterWriting;
    this.failsAfterWriting = undefined;
    if (failure) throw failure;
  }
}
