/**
 * Whether a database can be written to. Every error of the disk is noted here, whichever statement
 * met it; from then on the database is asked again, once a second, until it takes a write. So the log
 * has one line when the trouble begins and one when it ends, instead of one for each refused request.
 */
import type { Log } from '../log.ts';
import {
  StorageError,
  type StorageTrouble,
  storageErrorName,
  storageTroubleOf,
  storageTroubles,
} from './storage-trouble.ts';

const PROBE_EVERY_MS = 1_000;
/** Enough that files must grow for it: what is free inside them says nothing about the disk. */
export const PROBE_BYTES = 65_536;

export class StorageHealth {
  readonly #log: Log | undefined;
  readonly #probe: () => Promise<void>;
  #failure: StorageError | undefined;
  #probing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `probe` writes `PROBE_BYTES`, and rejects if that fails. */
  constructor(probe: () => Promise<void>, log?: Log) {
    this.#probe = probe;
    this.#log = log;
  }

  get trouble(): StorageTrouble | undefined {
    return this.#failure?.trouble;
  }

  /** Ignores errors that are not the disk's. */
  note = (error: unknown): void => {
    const trouble = storageTroubleOf(error);
    // What is gone stays gone, whatever else fails because of it.
    if (!trouble || trouble === this.trouble || this.trouble === 'storage_gone') return;
    this.#failure = new StorageError(trouble, error);
    this.#log?.error(
      { err: error, code: trouble, reason: storageErrorName(error) },
      storageTroubles[trouble],
    );
    this.#schedule();
  };

  /** Passes on what `work` resolves or rejects to. */
  async watch<T>(work: () => T | Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      this.note(error);
      throw error;
    }
  }

  /** Throws once the data folder is gone: what is written then would be lost. */
  refuseIfGone(): void {
    if (this.trouble === 'storage_gone') throw this.#failure;
  }

  /** Rejects while nothing can be written; asks again first. */
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

  #schedule(): void {
    clearTimeout(this.#timer);
    if (this.#stopped || this.trouble === 'storage_gone') return;
    this.#timer = setTimeout(() => void this.#askAgain(), PROBE_EVERY_MS);
    this.#timer.unref();
  }

  /** Those who ask at the same time share one answer. */
  #askAgain(): Promise<void> {
    if (this.#stopped || this.trouble === 'storage_gone') return Promise.resolve();
    this.#probing ??= this.#probeOnce().finally(() => {
      this.#probing = undefined;
    });
    return this.#probing;
  }

  async #probeOnce(): Promise<void> {
    try {
      await this.#probe();
    } catch (error) {
      this.note(error);
      this.#schedule();
      return;
    }
    if (this.trouble === 'storage_gone') return;
    this.#failure = undefined;
    clearTimeout(this.#timer);
    this.#log?.warn('The database can be written to again.');
  }
}
