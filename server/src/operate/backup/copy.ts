/**
 * Copies several databases as they were at one moment, while a server writes to them. Writers are held off
 * for the millisecond in which the moment is fixed; after that, each copy reads its own snapshot, and the
 * write-ahead logs grow until the copies are done.
 */
import { backup, DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

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

/** For people to compare; the tables of all three kinds of database. */
const COUNTED: Record<string, string> = {
  partner: 'partners',
  api_key: 'keys',
  midoffice: 'midoffices',
  delivery: 'deliveries',
  pending: 'pending',
  attempt: 'attempts',
  audit: 'audit_entries',
  token: 'tokens',
  person: 'people',
};

/**
 * Opens a copied database without changing its folder, looks for damage and counts what is in it. Throws if the file
 * is damaged or is not a database.
 */
export function inspectCopy(file: string): Record<string, number> {
  const url = pathToFileURL(file);
  // Nobody writes to it, and without this SQLite would create a log beside it.
  url.searchParams.set('immutable', '1');
  const connection = new DatabaseSync(url, { readOnly: true });
  try {
    const finding = String(connection.prepare('pragma integrity_check(1)').get()?.integrity_check);
    if (finding !== 'ok') throw new Error(`${file} is damaged (${finding})`);
    const tables = connection.prepare("select name from sqlite_schema where type = 'table'").all();
    const present = new Set(tables.map(({ name }) => name));
    const counts: Record<string, number> = {};
    for (const [name, shown] of Object.entries(COUNTED)) {
      if (!present.has(name)) continue;
      counts[shown] = Number(connection.prepare(`select count(*) as n from ${name}`).get()?.n);
    }
    return counts;
  } finally {
    connection.close();
  }
}
