/**
 * Whether a database can be written to. Every disk error is noted here, from any statement. From then on
 * a probe runs once a second until a write succeeds. The log gets one line when the trouble begins and
 * one when it ends, instead of one for each refused request. A folder that is gone and a damaged file do
 * not recover, so nothing probes them.
 */
import type { Log } from '../base/log.ts';
import {
  StorageError,
  type StorageTrouble,
  storageErrorName,
  storageTroubleOf,
  storageTroubles,
} from './storage-trouble.ts';

const PROBE_EVERY_MS = 1_000;
/** Large enough that the files must grow: free space inside them says nothing about the disk. */
export const PROBE_BYTES = 65_536;

export class StorageHealth {
  readonly #log: Log | undefined;
  readonly #probes: Set<() => Promise<void>>;
  #failure: StorageError | undefined;
  #probing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #onDamage: (() => void) | undefined;

  /** `probe` writes `PROBE_BYTES`, and rejects if that fails. */
  constructor(probe: () => Promise<void>, log?: Log) {
    this.#probes = new Set([probe]);
    this.#log = log;
  }

  /** For another database on the same disk. Resolves, once removed, when that may be closed. */
  addProbe(probe: () => Promise<void>): () => Promise<void> {
    this.#probes.add(probe);
    return async () => {
      this.#probes.delete(probe);
      await this.#probing;
    };
  }

  get trouble(): StorageTrouble | undefined {
    return this.#failure?.trouble;
  }

  /** Ignores errors that the disk did not cause. */
  note = (error: unknown): void => {
    const trouble = storageTroubleOf(error);
    if (!trouble || !this.#isNews(trouble)) return;
    this.#failure = new StorageError(trouble, error);
    this.#log?.error(
      { err: error, code: trouble, reason: storageErrorName(error) },
      storageTroubles[trouble],
    );
    if (trouble === 'storage_damaged') this.#onDamage?.();
    this.#schedule();
  };

  /** For other threads that use the same files. */
  onDamage(listener: () => void): void {
    this.#onDamage = listener;
  }

  /** Another thread has found the damage and logged it. */
  learnOfDamage(): void {
    if (this.#isNews('storage_damaged')) this.#failure = new StorageError('storage_damaged');
  }

  /** Resolves or rejects as `work` does. */
  async watch<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }

  /** Throws once the data folder is gone. */
  refuseIfGone(): void {
    if (this.trouble === 'storage_gone') throw this.#failure;
  }

  /** Throws once writes would be lost, or could spread the damage of a file. */
  refuseWrites(): void {
    if (this.#isFinal) throw this.#failure;
  }

  /** Probes first if there is trouble. Rejects while nothing can be written. */
  async check(): Promise<void> {
    if (!this.#failure) return;
    await this.#askAgain();
    if (this.#failure) throw this.#failure;
  }

  /** Resolves when the database may be closed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#probing;
  }

  get #isFinal(): boolean {
    return this.trouble === 'storage_gone' || this.trouble === 'storage_damaged';
  }

  /** After a final trouble, later errors are only consequences; but a damaged file can also be deleted. */
  #isNews(trouble: StorageTrouble): boolean {
    if (trouble === this.trouble) return false;
    return !this.#isFinal || (this.trouble === 'storage_damaged' && trouble === 'storage_gone');
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.#isFinal) return;
    this.#timer = setTimeout(() => void this.#askAgain(), PROBE_EVERY_MS);
    this.#timer.unref();
  }

  /** Concurrent calls share one probe. */
  #askAgain(): Promise<void> {
    if (this.#stopped || this.#isFinal) return Promise.resolve();
    this.#probing ??= this.#probeOnce().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probeOnce(): Promise<void> {
    try {
      for (const probe of this.#probes) await probe();
    } catch (error) {
      this.note(error);
      this.#schedule();
      return;
    }
    if (this.#isFinal) return;
    this.#failure = undefined;
    clearTimeout(this.#timer);
    this.#log?.warn('The database can be written to again.');
  }
}
