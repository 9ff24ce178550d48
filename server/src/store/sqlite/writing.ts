/**
 * Writing on the connection that Kysely uses as well. Kysely's transactions span several ticks; a
 * statement of ours in the middle of one would be rolled back with it, so ours waits its turn.
 */
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';

/** Runs `work` in a transaction: at once where it can, so that the hot path stays in one turn. */
export function inTransaction<T>(writer: DatabaseSync, work: () => T): T | Promise<T> {
  return writer.isTransaction
    ? outsideTransaction(writer).then(() => transact(writer, work))
    : transact(writer, work);
}

/**
 * The same for what need not outlive a power cut, such as a lease, which a restart voids anyway: it
 * does not wait for the disk. The next durable commit carries it along.
 */
export function inFleetingTransaction<T>(writer: DatabaseSync, work: () => T): T | Promise<T> {
  return writer.isTransaction
    ? outsideTransaction(writer).then(() => fleeting(writer, work))
    : fleeting(writer, work);
}

function fleeting<T>(writer: DatabaseSync, work: () => T): T {
  writer.exec('pragma synchronous = normal');
  try {
    return transact(writer, work);
  } finally {
    writer.exec('pragma synchronous = full');
  }
}

export async function outsideTransaction(writer: DatabaseSync): Promise<void> {
  do await nextTurn();
  while (writer.isTransaction);
}

function transact<T>(writer: DatabaseSync, work: () => T): T {
  writer.exec('begin immediate');
  try {
    const result = work();
    writer.exec('commit');
    return result;
  } catch (error) {
    if (writer.isTransaction) writer.exec('rollback');
    throw error;
  }
}
