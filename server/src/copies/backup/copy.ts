/**
 * Copies several databases as they were at one moment, while a server writes to them. Writers are held off
 * for the millisecond in which the moment is fixed; after that, each copy reads its own snapshot, and the
 * write-ahead logs grow until the copies are done.
 */
import { backup, DatabaseSync } from 'node:sqlite';

export interface Copy {
  from: string;
  to: string;
}

/** A checkpoint or a large transaction of the server may hold the lock for a while. */
const WAIT_MS = 10_000;
/** Between two steps, another thread may run; larger steps are hardly faster. */
const PAGES_PER_STEP = 1_000;

export async function copyTogether(
  copies: readonly Copy[],
  onProgress: (donePages: number, totalPages: number) => void,
): Promise<void> {
  const connections: DatabaseSync[] = [];
  const open = (file: string) => {
    const connection = new DatabaseSync(file, { timeout: WAIT_MS });
    connections.push(connection);
    return connection;
  };
  try {
    const sources = fixMoment(
      copies.map(({ from }) => ({ reader: open(from), writer: open(from) })),
    );
    let done = 0;
    const total = sources.reduce((pages, source) => pages + pagesOf(source), 0);
    for (const [index, source] of sources.entries()) {
      const { to } = copies[index] as Copy;
      await backup(source, to, {
        rate: PAGES_PER_STEP,
        progress: ({ totalPages, remainingPages }) =>
          onProgress(done + totalPages - remainingPages, total),
      });
      done += pagesOf(source);
    }
    onProgress(total, total);
  } finally {
    for (const connection of connections) connection.close();
  }
}

/** The readers, each in a transaction that began while nobody could write to any of the databases. */
function fixMoment(pairs: { reader: DatabaseSync; writer: DatabaseSync }[]): DatabaseSync[] {
  for (const { writer } of pairs) writer.exec('begin immediate');
  for (const { reader } of pairs) {
    reader.exec('begin');
    // SQLite takes the snapshot at the first read.
    reader.prepare('select count(*) from sqlite_schema').get();
  }
  for (const { writer } of pairs) writer.exec('rollback');
  return pairs.map(({ reader }) => reader);
}

function pagesOf(connection: DatabaseSync): number {
  return Number(connection.prepare('pragma page_count').get()?.page_count);
}
