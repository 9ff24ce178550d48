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
