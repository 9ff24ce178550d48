/**
 * The write-ahead log of one database file, as far as waiting for the disk goes. What a transaction
 * has written there is in the system's hands and outlives the process; once the file is synced, it
 * outlives a power cut as well. SQLite reuses the same file for as long as a connection is open.
 */
import { closeSync, fdatasync, openSync } from 'node:fs';

export class Wal {
  readonly #file: string;
  #descriptor: number | undefined;
  /** The sync that is running, and the one that begins when it ends. */
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #failure: Error | undefined;

  constructor(databaseFile: string) {
    this.#file = `${databaseFile}-wal`;
  }

  /** Resolves once all that was committed before the call is on the disk. */
  synced(): Promise<void> {
    // One that is running may have begun before the commit.
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
    this.#descriptor ??= openSync(this.#file, 'r');
    const descriptor = this.#descriptor;
    try {
      await new Promise<void>((resolve, reject) => {
        fdatasync(descriptor, (error) => (error ? reject(error) : resolve()));
      });
    } catch (error) {
      // The system forgets what it could not write, and a later sync would seem to succeed.
      this.#failure = new Error(`The disk refused ${this.#file}; start Bellhop anew.`, {
        cause: error,
      });
      throw this.#failure;
    }
  }
}
