import type { Pool } from 'pg';
import { readPages } from '../../base/pages.ts';
import type { Admission, AdmissionJournal } from '../../limiter/limiter.ts';
import type { Queries } from './prompt-queries.ts';

const LOAD_ROWS = 10_000;
const PRUNE_ROWS = 5_000;

interface AdmissionRow {
  seq: number;
  key_id: string;
  endpoint: string;
  at_ms: number;
  keep_until_ms: number;
  restated_at_ms: number | null;
  requests: number | null;
  span_ms: number | null;
  past: Admission['past'] | null;
  id: string | null;
  epoch: string | null;
}

/** A partner's call waits for `append`, so it uses `prompt`. */
export function postgresAdmissions(pool: Pool, prompt: Queries): AdmissionJournal {
  return {
    async append(admissions) {
      await prompt.query({
        name: 'append admissions',
        text: `insert into admission (key_id, endpoint, at_ms, keep_until_ms, restated_at_ms,
                                      requests, span_ms, past, id, epoch)
               select * from unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[],
                                    $6::integer[], $7::bigint[], $8::jsonb[], $9::text[], $10::text[])`,
        values: [
          admissions.map((a) => a.keyId),
          admissions.map((a) => a.endpoint),
          admissions.map((a) => a.atMs),
          admissions.map((a) => a.keepUntilMs),
          admissions.map((a) => a.restatedAtMs ?? null),
          admissions.map((a) => a.window?.requests ?? null),
          admissions.map((a) => a.window?.spanMs ?? null),
          admissions.map((a) => (a.past ? JSON.stringify(a.past) : null)),
          admissions.map((a) => a.id ?? null),
          admissions.map((a) => a.epoch ?? null),
        ],
      });
    },
    async *load(nowMs) {
      const pages = readPages<AdmissionRow>(LOAD_ROWS, async (last, size) => {
        const { rows } = await pool.query<AdmissionRow>(
          `select * from admission
            where keep_until_ms > $1 and seq > $2 order by seq limit $3`,
          [nowMs, last?.seq ?? 0, size],
        );
        return rows;
      });
      for await (const rows of pages) for (const row of rows) yield readAdmission(row);
    },
    async prune(nowMs) {
      for (;;) {
        const { rowCount } = await pool.query(
          `delete from admission where seq in
             (select seq from admission where keep_until_ms <= $1 limit $2 for update skip locked)`,
          [nowMs, PRUNE_ROWS],
        );
        if ((rowCount ?? 0) < PRUNE_ROWS) return;
      }
    },
  };
}

function readAdmission(row: AdmissionRow): Admission {
  const { requests, span_ms: spanMs, past } = row;
  return {
    keyId: row.key_id,
    endpoint: row.endpoint,
    atMs: row.at_ms,
    keepUntilMs: row.keep_until_ms,
    ...(requests !== null && spanMs !== null && { window: { requests, spanMs } }),
    ...(past && { past }),
    ...(row.restated_at_ms !== null && { restatedAtMs: row.restated_at_ms }),
    ...(row.id !== null && { id: row.id }),
    ...(row.epoch !== null && { epoch: row.epoch }),
  };
}
