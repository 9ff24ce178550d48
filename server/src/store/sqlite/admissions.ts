import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Admission, AdmissionJournal } from '../../limiter/limiter.ts';
import { connect } from './connection.ts';
import { refuseIfDamaged } from './damage-check.ts';
import { Wal } from './wal.ts';
import { Writer } from './writing.ts';

const PRUNE_ROWS = 500;

/**
 * A row holds all admissions that were appended together. With a row for each admission, writing took a
 * tenth of the partner API's time. Rows are only added at the end of the table, so a batch touches few
 * pages. Only the partner API uses this file: in the main database it would wait for the transactions of
 * deliveries.
 */
export function sqliteAdmissions(
  file: string,
  options: { check?: boolean } = {},
): AdmissionJournal & { close(): Promise<void> } {
  const connection = connect(file);
  if (options.check) refuseIfDamaged(file);
  const wal = new Wal(file);
  const writer = new Writer(connection, wal);
  connection.exec(`
    create table if not exists admitted (
      seq integer primary key, keep_until_ms integer not null, admissions text not null);
    create index if not exists admitted_by_end on admitted (keep_until_ms)`);
  const insert = connection.prepare(
    'insert into admitted (keep_until_ms, admissions) values (?, ?)',
  );
  const select = connection.prepare(
    'select admissions from admitted where keep_until_ms > ? order by seq',
  );
  const prune = connection.prepare(
    'delete from admitted where seq in (select seq from admitted where keep_until_ms <= ? limit +?)',
  );
  return {
    async append(admissions) {
      if (admissions.length === 0) return;
      const keepUntilMs = admissions.reduce((last, a) => Math.max(last, a.keepUntilMs), 0);
      await writer.durable(() => insert.run(keepUntilMs, writeAdmissions(admissions)));
    },
    async *load(nowMs) {
      for (const row of select.iterate(nowMs)) {
        for (const admission of readAdmissions(row.admissions as string)) {
          if (admission.keepUntilMs > nowMs) yield admission;
        }
      }
    },
    async prune(nowMs) {
      for (;;) {
        await nextTurn();
        const { changes } = await writer.unsynced(() => prune.run(nowMs, PRUNE_ROWS));
        if (changes < PRUNE_ROWS) return;
      }
    },
    async close() {
      await wal.close();
      connection.close();
    },
  };
}

type Absent = null | undefined;

/** Rows of older versions end after `keepUntilMs` or `restatedAtMs`. */
type Written = [
  keyId: string,
  endpoint: string,
  atMs: number,
  keepUntilMs: number,
  restatedAtMs?: number | Absent,
  requests?: number | Absent,
  /** Only where the admission is kept for longer than the window in force. */
  spanMs?: number | Absent,
  past?: [requests: number, spanMs: number, untilMs: number] | Absent,
  id?: string | Absent,
  epoch?: string | Absent,
];

export function writeAdmissions(admissions: readonly Admission[]): string {
  return JSON.stringify(admissions.map(writeAdmission));
}

function writeAdmission(one: Admission): Written {
  const { keyId, endpoint, atMs, keepUntilMs, restatedAtMs, window, past, id, epoch } = one;
  const written: Written = [
    ...([keyId, endpoint, atMs, keepUntilMs, restatedAtMs, window?.requests] as const),
    window?.spanMs === keepUntilMs - atMs ? null : window?.spanMs,
    past && [past.requests, past.spanMs, past.untilMs],
    id,
    epoch,
  ];
  while (written.at(-1) == null) written.pop();
  return written;
}

/** Throws a sentence for operators if the row is damaged: counting half of it would admit too many. */
export function readAdmissions(text: string): Admission[] {
  const rows = parseRows(text);
  if (!rows?.every(isWritten)) {
    throw new Error(
      'The journal of admissions holds a damaged row. Restore the data folder from a backup.',
    );
  }
  return rows.map((written) => {
    const [keyId, endpoint, atMs, keepUntilMs, restatedAtMs, requests, spanMs, past, id, epoch] =
      written;
    return {
      ...{ keyId, endpoint, atMs, keepUntilMs },
      ...(requests != null && { window: { requests, spanMs: spanMs ?? keepUntilMs - atMs } }),
      ...(past != null && { past: { requests: past[0], spanMs: past[1], untilMs: past[2] } }),
      ...(restatedAtMs != null && { restatedAtMs }),
      ...(id != null && { id }),
      ...(epoch != null && { epoch }),
    };
  });
}

function parseRows(text: string): unknown[] | undefined {
  try {
    const rows: unknown = JSON.parse(text);
    return Array.isArray(rows) ? rows : undefined;
  } catch {
    return undefined;
  }
}

function isWritten(row: unknown): row is Written {
  if (!Array.isArray(row)) return false;
  const [keyId, endpoint, atMs, keepUntilMs, restatedAtMs, requests, spanMs, past, ...ids] = row;
  return (
    typeof keyId === 'string' &&
    typeof endpoint === 'string' &&
    [atMs, keepUntilMs].every(Number.isFinite) &&
    [restatedAtMs, requests, spanMs].every((value) => value == null || Number.isFinite(value)) &&
    (past == null || (Array.isArray(past) && past.length === 3 && past.every(Number.isFinite))) &&
    ids.length <= 2 &&
    ids.every((value) => value == null || typeof value === 'string')
  );
}
