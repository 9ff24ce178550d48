import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Admission, AdmissionJournal } from '../../limits/limiter.ts';

const PRUNE_ROWS = 5_000;

/**
 * Rows are only ever added at the end of the table, so a batch touches few pages; a table clustered
 * by key would write a page per admission.
 */
export function sqliteAdmissions(writer: DatabaseSync): AdmissionJournal {
  const insert = writer.prepare(
    'insert into admission (key_id, endpoint, at_ms, keep_until_ms) values (?, ?, ?, ?)',
  );
  const select = writer.prepare(
    'select key_id, endpoint, at_ms, keep_until_ms from admission where keep_until_ms > ? order by seq',
  );
  const prune = writer.prepare(
    'delete from admission where seq in (select seq from admission where keep_until_ms <= ? limit ?)',
  );
  return {
    append(admissions) {
      return writer.isTransaction
        ? outsideTransaction(writer).then(() => insertAll(writer, insert, admissions))
        : insertAll(writer, insert, admissions);
    },
    async *load(nowMs) {
      for (const row of select.all(nowMs) as unknown as AdmissionRow[]) yield toAdmission(row);
    },
    async prune(nowMs) {
      for (;;) {
        await outsideTransaction(writer);
        if (prune.run(nowMs, PRUNE_ROWS).changes < PRUNE_ROWS) return;
      }
    },
  };
}

export interface AdmissionRow {
  key_id: string;
  endpoint: string;
  at_ms: number;
  keep_until_ms: number;
}

export function toAdmission(row: AdmissionRow): Admission {
  return {
    keyId: row.key_id,
    endpoint: row.endpoint,
    atMs: row.at_ms,
    keepUntilMs: row.keep_until_ms,
  };
}

/**
 * Kysely's transactions share this connection and span several ticks; a statement of ours in the
 * middle of one would be rolled back with it.
 */
async function outsideTransaction(writer: DatabaseSync): Promise<void> {
  do await nextTurn();
  while (writer.isTransaction);
}

function insertAll(
  writer: DatabaseSync,
  insert: StatementSync,
  admissions: readonly Admission[],
): void {
  writer.exec('begin immediate');
  try {
    for (const a of admissions) insert.run(a.keyId, a.endpoint, a.atMs, a.keepUntilMs);
    writer.exec('commit');
  } catch (error) {
    if (writer.isTransaction) writer.exec('rollback');
    throw error;
  }
}
