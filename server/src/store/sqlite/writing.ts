/**
 * Writes on the connection that Kysely also uses. Kysely's transactions span several turns of the event
 * loop. A statement of ours in the middle would be rolled back with them, so ours wait for their end.
 *
 * SQLite's own durable commit blocks the thread until the disk answers, which took 38 % of the delivery
 * thread's time. Here a commit only hands the transaction to the operating system. A thread of libuv's
 * pool waits for the disk, and transactions close together share one wait.
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

  /** `health` is told about disk errors. */
  constructor(connection: DatabaseSync, wal: Wal, health?: StorageHealth) {
    this.connection = connection;
    this.#wal = wal;
    this.#health = health;
  }

  /** Runs `work` in a transaction; resolves once it would survive a power cut. */
  async durable<T>(work: () => T): Promise<T> {
    const result = await this.unsynced(work);
    await this.synced();
    return result;
  }

  /** For `StorageHealth`: rejects if nothing can be written. */
  async probe(): Promise<void> {
    await this.durable(() => this.connection.exec(WRITE_FOR_PROBE));
  }

  /** Resolves once every earlier transaction would survive a power cut. */
  synced(): Promise<void> {
    return this.#health?.watch(() => this.#wal.synced()) ?? this.#wal.synced();
  }

  /**
   * Runs `work` in a transaction without waiting for the disk. A crash of the process does not lose it, but
   * a power cut may until `synced`. Runs at once if it can, so that the hot path stays in one turn.
   */
  unsynced<T>(work: () => T): T | Promise<T> {
    return this.connection.isTransaction
      ? this.#outsideTransaction().then(() => this.#transact(work))
      : this.#transact(work);
  }

  /** Reads outside Kysely's transactions, which may still be rolled back. */
  between<T>(work: () => T | Promise<T>): T | Promise<T> {
    return this.connection.isTransaction
      ? this.#outsideTransaction().then(() => this.noting(work))
      : this.noting(work);
  }

  /** A read can find damage, too. */
  noting<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.#health?.note(error);
      throw error;
    }
  }

  async #outsideTransaction(): Promise<void> {
    do await nextTurn();
    while (this.connection.isTransaction);
  }

  #transact<T>(work: () => T): T {
    const { connection } = this;
    this.#health?.refuseWrites();
    this.#wal.check();
    try {
      // No wait for the disk here; Kysely's transactions keep theirs.
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
