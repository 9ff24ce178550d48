/**
 * Syncs the write-ahead log of one database file. A transaction written to the log survives a crash of the
 * process; after a sync it also survives a power cut. SQLite uses the same log file for as long as a
 * connection is open.
 */
import { closeSync, fdatasync, fstatSync, openSync } from 'node:fs';
import { StorageError } from '../storage-trouble.ts';

export class Wal {
  readonly #file: string;
  #descriptor: number | undefined;
  /** The current sync, and the one that starts after it. */
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(databaseFile: string) {
    this.#file = `${databaseFile}-wal`;
  }

  /** Resolves once everything committed before the call is on the disk. */
  synced(): Promise<void> {
    // The current sync may have started before the commit.
    if (!this.#running) return this.#run();
    this.#next ??= this.#running.then(() => this.#run());
    return this.#next;
  }

  /** Throws once a sync has failed. */
  check(): void {
    if (this.#failure) throw this.#failure;
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#running)?.catch(() => {});
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #run(): Promise<void> {
    this.#next = undefined;
    const done = this.#sync().finally(() => {
      if (this.#running === done) this.#running = undefined;
    });
    this.#running = done;
    return done;
  }

  async #sync(): Promise<void> {
    this.check();
    try {
      this.#descriptor ??= openSync(this.#file, 'r');
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? this.#fail(gone(error)) : error;
    }
    const descriptor = this.#descriptor;
    try {
      await new Promise<void>((resolve, reject) => {
        fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      // The system discards pages that it could not write, and a later sync would seem to succeed.
      const why = `The disk refused ${this.#file}; check the disk and restart Bellhop`;
      throw this.#fail(new StorageError('storage_failing', error, why));
    }
    // Syncing a deleted file succeeds, but its content is lost with the process. This check takes 0.5 µs.
    if (fstatSync(descriptor).nlink === 0) throw this.#fail(gone());
  }

  #fail(failure: StorageError): StorageError {
    this.#failure = failure;
    return failure;
  }
}

function gone(cause?: unknown): StorageError {
  return new StorageError('storage_gone', cause);
}
