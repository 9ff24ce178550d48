/**
 * Writing on the connection that Kysely uses as well. Kysely's transactions span several ticks; a
 * statement of ours in the middle of one would be rolled back with it, so ours waits its turn.
 *
 * SQLite's own durable commit holds up the thread until the disk has answered: it took 38 % of the
 * delivery thread's time. So ours only hands the transaction to the system, and the wait for the disk
 * is left to a thread of libuv's pool, where transactions that come close together share one.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { PROBE_BYTES, type StorageHealth } from '../storage-health.ts';
import type { Wal } from './wal.ts';

const WRITE_FOR_PROBE = `
  create table probe (bytes blob);
  insert into probe values (zeroblob(${PROBE_BYTES}));
  drop table probe`;

export class Writer {
  readonly connection: DatabaseSync;
  readonly #wal: Wal;
  readonly #health: StorageHealth | undefined;

  /** `health` hears of what the disk refuses. */
  constructor(connection: DatabaseSync, wal: Wal, health?: StorageHealth) {
    this.connection = connection;
    this.#wal = wal;
    this.#health = health;
  }

  /** Runs `work` in a transaction; resolves once it would outlive a power cut. */
  async durable<T>(work: () => T): Promise<T> {
    const result = await this.fleeting(work);
    await this.synced();
    return result;
  }

  /** Rejects if nothing can be written; for `StorageHealth`. */
  async probe(): Promise<void> {
    await this.durable(() => this.connection.exec(WRITE_FOR_PROBE));
  }

  /** Resolves once every transaction before would outlive a power cut. */
  synced(): Promise<void> {
    return this.#health?.watch(() => this.#wal.synced()) ?? this.#wal.synced();
  }

  /**
   * The same for what need not outlive a power cut, such as a parked row, or need not yet. It runs at once where it can, so that the hot path stays in one turn.
   */
  fleeting<T>(work: () => T): T | Promise<T> {
    return this.connection.isTransaction
      ? this.#outsideTransaction().then(() => this.#transact(work))
      : this.#transact(work);
  }

  /** Reads, without seeing half of a transaction of Kysely's, which may yet be rolled back. */
  between<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.connection.isTransaction ? this.#outsideTransaction().then(work) : work();
  }

  async #outsideTransaction(): Promise<void> {
    do await nextTurn();
    while (this.connection.isTransaction);
  }

  #transact<T>(work: () => T): T {
    const { connection } = this;
    this.#health?.refuseIfGone();
    this.#wal.check();
    try {
      // Without a wait for the disk; Kysely's transactions keep theirs.
      connection.exec('pragma synchronous = normal; begin immediate');
      const result = work();
      connection.exec('commit');
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback');
      this.#health?.note(error);
      throw error;
    } finally {
      connection.exec('pragma synchronous = full');
    }
  }
}
