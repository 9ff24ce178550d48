import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Admission, AdmissionJournal } from '../../limits/limiter.ts';
import { connect } from './connection.ts';
import { Wal } from './wal.ts';
import { Writer } from './writing.ts';

const PRUNE_ROWS = 5_000;

/**
 * Rows are only ever added at the end of the table, so a batch touches few pages; a table clustered
 * by key would write a page per admission. The file is the partner API's alone: in the other one it
 * would wait for the deliveries' transactions.
 */
export function sqliteAdmissions(file: string): AdmissionJournal & { close(): Promise<void> } {
  const connection = connect(file);
  const wal = new Wal(file);
  const writer = new Writer(connection, wal);
  connection.exec(`
    create table if not exists admission (
      seq integer primary key, key_id text not null, endpoint text not null,
      at_ms integer not null, keep_until_ms integer not null);
    create index if not exists admission_by_end on admission (keep_until_ms)`);
  const insert = connection.prepare(
    'insert into admission (key_id, endpoint, at_ms, keep_until_ms) values (?, ?, ?, ?)',
  );
  const select = connection.prepare(
    'select key_id, endpoint, at_ms, keep_until_ms from admission where keep_until_ms > ? order by seq',
  );
  const prune = connection.prepare(
    'delete from admission where seq in (select seq from admission where keep_until_ms <= ? limit ?)',
  );
  return {
    append(admissions) {
      return writer.durable(() => {
        for (const a of admissions) insert.run(a.keyId, a.endpoint, a.atMs, a.keepUntilMs);
      });
    },
    async *load(nowMs) {
      for (const row of select.all(nowMs) as unknown as AdmissionRow[]) yield toAdmission(row);
    },
    async prune(nowMs) {
      for (;;) {
        await nextTurn();
        if (prune.run(nowMs, PRUNE_ROWS).changes < PRUNE_ROWS) return;
      }
    },
    async close() {
      await wal.close();
      connection.close();
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
