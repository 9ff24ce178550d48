/** Runs statements that read, one after another, on connections of its own: see `Readers`. */
import { setPriority } from 'node:os';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { parentPort } from 'node:worker_threads';
import type { ErrorFields, ReadAnswer, ReadStatement } from './readers.ts';

const KEPT_STATEMENTS = 200;
/** Only the recovery after a crash makes a reader wait, and that is over before anybody reads. */
const BUSY_TIMEOUT_MS = 5_000;
/** A quarter of what the writer has: most of what people read is in the system's cache anyway. */
const CACHE_KB = 8_000;
/** Whoever delivers or answers partners gets the processor first. */
const NICENESS = 5;

const port = parentPort;
if (!port) throw new Error('reader-thread.ts runs as a worker thread');

if (process.platform === 'linux') {
  try {
    // There, 0 is this thread. Elsewhere, it is the whole process.
    setPriority(0, NICENESS);
  } catch {
    // A sandbox may forbid it.
  }
}

interface OpenFile {
  connection: DatabaseSync;
  kept: Map<string, StatementSync>;
}

const files = new Map<string, OpenFile>();

port.on('message', (asked: ReadStatement | 'end') => {
  if (asked === 'end') {
    for (const { connection } of files.values()) connection.close();
    port.close();
    return;
  }
  port.postMessage(answer(asked));
});

function answer({ file, sql, parameters }: ReadStatement): ReadAnswer {
  try {
    return { rows: prepared(file, sql).all(...(parameters as SQLInputValue[])) };
  } catch (error) {
    const { message, code, errcode, errstr } = error as ErrorFields;
    return { error: { message, code, errcode, errstr } };
  }
}

function prepared(file: string, sql: string): StatementSync {
  const { connection, kept } = opened(file);
  const known = kept.get(sql);
  if (known) return known;
  const statement = connection.prepare(sql);
  if (kept.size >= KEPT_STATEMENTS) kept.clear();
  kept.set(sql, statement);
  return statement;
}

function opened(file: string): OpenFile {
  const known = files.get(file);
  if (known) return known;
  const connection = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  connection.exec(`pragma cache_size = -${CACHE_KB}`);
  const one = { connection, kept: new Map() };
  files.set(file, one);
  return one;
}
