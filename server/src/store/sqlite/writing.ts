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
import type { Wal } from './wal.ts';

/** SQLITE_READONLY, SQLITE_IOERR and SQLITE_FULL. */
const OF_THE_DISK = new Set([8, 10, 13]);
/** Enough that the file and the log must grow for it: what is free in them says nothing. */
const WRITE_FOR_PROBE = `
  create table probe (bytes blob);
  insert into probe values (zeroblob(65536));
  drop table probe`;

export class Writer {
  readonly connection: DatabaseSync;
  readonly #wal: Wal;
  /** Of the last transaction, if the disk was to blame. */
  #failure: Error | undefined;

  constructor(connection: DatabaseSync, wal: Wal) {
    this.connection = connection;
    this.#wal = wal;
  }

  /** Runs `work` in a transaction; resolves once it would outlive a power cut. */
  async durable<T>(work: () => T): Promise<T> {
    const result = await this.fleeting(work);
    await this.synced();
    return result;
  }

  /** Throws while nothing can be written; asks the disk anew, since nobody else may any more. */
  async check(): Promise<void> {
    this.#wal.check();
    if (this.#failure) await this.durable(() => this.connection.exec(WRITE_FOR_PROBE));
  }

  /** Resolves once every transaction before would outlive a power cut. */
  synced(): Promise<void> {
    return this.#wal.synced();
  }

  /**
   * The same for what need not outlive a power cut, such as a lease, which a restart voids anyway, or
   * need not yet. It runs at once where it can, so that the hot path stays in one turn.
   */
  fleeting<T>(work: () => T): T | Promise<T> {
    return this.connection.isTransaction
      ? this.#outsideTransaction().then(() => this.#transact(work))
      : this.#transact(work);
  }

  async #outsideTransaction(): Promise<void> {
    do await nextTurn();
    while (this.connection.isTransaction);
  }

  #transact<T>(work: () => T): T {
    const { connection } = this;
    this.#wal.check();
    try {
      // Without a wait for the disk; Kysely's transactions keep theirs.
      connection.exec('pragma synchronous = normal; begin immediate');
      const result = work();
      connection.exec('commit');
      this.#failure = undefined;
      return result;
    } catch (error) {
      if (connection.isTransaction) connection.exec('rollback');
      if (OF_THE_DISK.has(((error as { errcode?: number }).errcode ?? 0) & 0xff)) {
        this.#failure = error as Error;
      }
      throw error;
    } finally {
      connection.exec('pragma synchronous = full');
    }
  }
}
