/** The usage history as support reads it, and its retention. */
import { sql } from 'kysely';
import {
  DAY_MS,
  keptMs,
  MINUTE_MS,
  startOfStep,
  type UsageRecord,
  type UsageStep,
  usageSteps,
} from '../gateway/usage-history/counts.ts';
import type { Database, UsageRow } from './schema.ts';

export interface UsageFilter {
  step: UsageStep;
  /** From this step on … */
  sinceMs: number;
  /** … up to, and without, this time. */
  untilMs: number;
  endpoint?: string | undefined;
}

export type UsageSum = Omit<UsageRow, 'key_id' | 'peak_calls' | 'last_at'>;

/** In the order of time and endpoint, which is that of the primary key. */
export async function readKeyUsage(
  db: Database,
  keyId: string,
  { step, sinceMs, untilMs, endpoint }: UsageFilter,
): Promise<(UsageSum & Pick<UsageRow, 'peak_calls'>)[]> {
  let query = db
    .selectFrom(tableOf[step])
    .select(['at', 'endpoint', 'admitted', 'refused', 'failed', 'peak_calls', 'peak_share'])
    .where('key_id', '=', keyId)
    .where('at', '>=', sinceMs)
    .where('at', '<', untilMs);
  if (endpoint !== undefined) query = query.where('endpoint', '=', endpoint);
  return query.orderBy('at').orderBy('endpoint').execute();
}

/** The sum of all keys that the partner has or had, and the highest peak. */
export async function readPartnerUsage(
  db: Database,
  partnerId: string,
  { step, sinceMs, untilMs, endpoint }: UsageFilter,
): Promise<UsageSum[]> {
  let query = db
    .selectFrom('api_key')
    .innerJoin(`${tableOf[step]} as used`, 'used.key_id', 'api_key.key_id')
    .select((select) => [
      'used.at',
      'used.endpoint',
      select.fn.sum<number>('used.admitted').as('admitted'),
      select.fn.sum<number>('used.refused').as('refused'),
      select.fn.sum<number>('used.failed').as('failed'),
      select.fn.max('used.peak_share').as('peak_share'),
    ])
    .where('api_key.partner_id', '=', partnerId)
    .where('used.at', '>=', sinceMs)
    .where('used.at', '<', untilMs);
  if (endpoint !== undefined) query = query.where('used.endpoint', '=', endpoint);
  const rows = await query
    .groupBy(['used.at', 'used.endpoint'])
    .orderBy('used.at')
    .orderBy('used.endpoint')
    .execute();
  // PostgreSQL returns sums as text.
  return rows.map((row) => ({
    ...row,
    admitted: Number(row.admitted),
    refused: Number(row.refused),
    failed: Number(row.failed),
  }));
}

/** The keys that were refused most since that step, most first. */
export async function mostRefusedKeys(
  db: Database,
  { step, sinceMs, limit }: { step: UsageStep; sinceMs: number; limit: number },
): Promise<{ key_id: string; refused: number }[]> {
  const rows = await db
    .selectFrom(tableOf[step])
    .select((select) => ['key_id', select.fn.sum<number>('refused').as('refused')])
    .where('at', '>=', sinceMs)
    .where('refused', '>', 0)
    .groupBy('key_id')
    .orderBy('refused', 'desc')
    .orderBy('key_id')
    .limit(limit)
    .execute();
  // PostgreSQL returns sums as text.
  return rows.map(({ key_id, refused }) => ({ key_id, refused: Number(refused) }));
}

export interface UsagePeak {
  endpoint: string;
  calls: number;
  share: number;
}

/** For each endpoint with a limit: the most calls in one window since that day, and the highest share. */
export async function readPeaks(
  db: Database,
  keyId: string,
  sinceMs: number,
): Promise<UsagePeak[]> {
  return db
    .selectFrom('usage_day')
    .select((select) => [
      'endpoint',
      select.fn.max('peak_calls').as('calls'),
      select.fn.max('peak_share').as('share'),
    ])
    .where('key_id', '=', keyId)
    .where('at', '>=', sinceMs)
    .where('peak_share', 'is not', null)
    .groupBy('endpoint')
    .orderBy('endpoint')
    .$narrowType<{ calls: number; share: number }>()
    .execute();
}

/** Rows deleted in one statement. Few, so that neither flow has to wait. */
export const DELETED_AT_ONCE = 500;
/** A batch that arrives twice arrives within seconds. */
const WRITERS_KEPT_MS = DAY_MS;

/** Deletes a batch of what is older than it is kept; false if nothing is left to delete. */
export async function deleteOldUsage(db: Database, nowMs: number): Promise<boolean> {
  await db
    .deleteFrom('usage_writer')
    .where('at', '<', nowMs - WRITERS_KEPT_MS)
    .execute();
  let hasMore = false;
  for (const step of usageSteps) {
    const table = sql.table(tableOf[step]);
    const { numAffectedRows } = await sql`
      delete from ${table} where (key_id, at, endpoint) in (
        select key_id, at, endpoint from ${table}
         where at < ${nowMs - keptMs[step]} order by at limit ${sql.lit(DELETED_AT_ONCE)})`.execute(
      db,
    );
    if (Number(numAffectedRows) === DELETED_AT_ONCE) hasMore = true;
  }
  return hasMore;
}

/** The rows that a batch of counts adds to a table of the usage history. */
export const tableOf = { hour: 'usage_hour', day: 'usage_day' } as const satisfies Record<
  UsageStep,
  string
>;

/**
 * Several hours are one day, and PostgreSQL refuses to change a row twice in one statement. The rows are
 * sorted, so that two nodes that write at the same time cannot deadlock.
 */
export function usageRowsOf(records: readonly UsageRecord[], step: UsageStep): UsageRow[] {
  const rows = new Map<string, UsageRow>();
  for (const { keyId, endpoint, hourMs, lastMs, ...counts } of records) {
    const at = startOfStep(hourMs, step);
    const lastAt = lastMs - (lastMs % MINUTE_MS);
    const id = `${keyId} ${String(at).padStart(15, '0')} ${endpoint}`;
    const row = rows.get(id);
    if (row) {
      row.admitted += counts.admitted;
      row.refused += counts.refused;
      row.failed += counts.failed;
      row.peak_calls = higher(row.peak_calls, counts.peakCalls);
      row.peak_share = higher(row.peak_share, counts.peakShare);
      row.last_at = higher(row.last_at, lastAt);
    } else {
      rows.set(id, {
        key_id: keyId,
        at,
        endpoint,
        admitted: counts.admitted,
        refused: counts.refused,
        failed: counts.failed,
        peak_calls: counts.peakCalls,
        peak_share: counts.peakShare,
        last_at: lastAt,
      });
    }
  }
  return [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row);
}

/** The last day of each key in a batch, in the order of the keys. */
export function lastDaysIn(rows: readonly UsageRow[]): [keyId: string, at: number][] {
  const days = new Map<string, number>();
  for (const { key_id, at } of rows) days.set(key_id, Math.max(at, days.get(key_id) ?? 0));
  return [...days];
}

function higher(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.max(a, b);
}

/**
 * The last minute in which each of these keys was used. Keys without any are left out. Each is one look at
 * the index, all of them in one statement; a maximum by group would read every hour of every key.
 */
export async function readLastMinutes(
  db: Database,
  keyIds: readonly string[],
): Promise<Map<string, number>> {
  if (keyIds.length === 0) return new Map();
  const ofEach = keyIds.map(
    (keyId) => sql`select * from (
      select key_id, coalesce(last_at, at) as at from usage_hour
       where key_id = ${keyId} order by usage_hour.at desc, last_at desc limit 1) as one`,
  );
  const { rows } = await sql<{ key_id: string; at: number }>`${sql.join(
    ofEach,
    sql` union all `,
  )}`.execute(db);
  return new Map(rows.map(({ key_id, at }) => [key_id, at]));
}

/** When each API key of the key was used last, by its fingerprint. */
export async function readApiKeyUses(db: Database, keyId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('api_key_use')
    .select(['fingerprint', 'at'])
    .where('key_id', '=', keyId)
    .execute();
  return new Map(rows.map(({ fingerprint, at }) => [fingerprint, at]));
}

/** Forgets the uses of all but these API keys of the key. */
export async function deleteOtherApiKeyUses(
  db: Database,
  keyId: string,
  kept: readonly string[],
): Promise<void> {
  let query = db.deleteFrom('api_key_use').where('key_id', '=', keyId);
  if (kept.length > 0) query = query.where('fingerprint', 'not in', kept);
  await query.execute();
}
