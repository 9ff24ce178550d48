/**
 * What the console's first page shows. It is asked for every few seconds by everyone who has the
 * page open, so it reads counters and small indices, never the deliveries themselves.
 */
import { sql } from 'kysely';
import type { RefusedKey } from '../../partner-api/refused-keys.ts';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import { pendingOf } from '../../store/queue/backlog.ts';
import { listAudit } from '../audit/audit.ts';
import { seldom } from '../cached-read.ts';
import { countInFlight, lastAttemptsOf, showBacklog } from '../deliveries/backlog.ts';
import { type Desk, isoOrNull } from '../environment.ts';

export const statsSpans = ['hour', 'day', 'week'] as const;
export type StatsSpan = (typeof statsSpans)[number];

const MINUTE_MS = 60_000;
const SPANS: Record<StatsSpan, { buckets: number; stepMs: number }> = {
  hour: { buckets: 60, stepMs: MINUTE_MS },
  day: { buckets: 96, stepMs: 15 * MINUTE_MS },
  week: { buckets: 84, stepMs: 120 * MINUTE_MS },
};
const MOST_FAILING = 20;
const RECENT_CHANGES = 10;

export type StatsReader = (span: StatsSpan) => Promise<Stats>;
type Stats = Awaited<ReturnType<typeof readStats>>;
type Load = Awaited<ReturnType<typeof readLoad>>;

export function createStatsReader(
  desk: Desk,
  backOffice: BackOfficeStore,
  refusedKeys: () => RefusedKey[] | Promise<RefusedKey[]>,
): StatsReader {
  // Counting a million pending deliveries takes a while; a storm is when everybody looks.
  const load = seldom(() => readLoad(desk));
  return (span) => readStats(desk, backOffice, span, load, refusedKeys);
}

async function readStats(
  desk: Desk,
  backOffice: BackOfficeStore,
  span: StatsSpan,
  load: () => Promise<Load>,
  refusedKeys: () => RefusedKey[] | Promise<RefusedKey[]>,
) {
  const { buckets, ...chart } = await readChart(desk, span);
  const delivered = sum(buckets.map((bucket) => bucket.delivered));
  const attempts = delivered + sum(buckets.map((bucket) => bucket.failed_attempts));
  return {
    span,
    ...chart,
    buckets,
    ...(await load()),
    success_rate: attempts === 0 ? null : delivered / attempts,
    limited_keys: await nameKeys(desk, await refusedKeys()),
    recent_changes: (await listAudit(desk, backOffice, { limit: RECENT_CHANGES })).items,
  };
}

/** The last bucket is the one that is still filling. */
async function readChart({ store, clock }: Desk, span: StatsSpan) {
  const { buckets: count, stepMs } = SPANS[span];
  const nowMs = clock.now();
  const toMs = nowMs - (nowMs % stepMs) + stepMs;
  const fromMs = toMs - count * stepMs;
  const rows = await store.db
    .selectFrom('minute_stat')
    .select([
      sql<number>`(minute - ${sql.lit(fromMs)}) / ${sql.lit(stepMs)}`.as('bucket'),
      (select) => select.fn.sum<number>('delivered').as('delivered'),
      (select) => select.fn.sum<number>('failed_attempts').as('failed_attempts'),
      (select) => select.fn.sum<number>('exhausted').as('exhausted'),
    ])
    .where('minute', '>=', fromMs)
    .where('minute', '<', toMs)
    .groupBy('bucket')
    .execute();
  const byBucket = new Map(rows.map((row) => [Number(row.bucket), row]));
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    step_seconds: stepMs / 1_000,
    buckets: Array.from({ length: count }, (_, bucket) => {
      const row = byBucket.get(bucket);
      return {
        at: new Date(fromMs + bucket * stepMs).toISOString(),
        delivered: Number(row?.delivered ?? 0),
        failed_attempts: Number(row?.failed_attempts ?? 0),
        exhausted: Number(row?.exhausted ?? 0),
      };
    }),
  };
}

async function readLoad(desk: Desk) {
  const { db } = desk.store;
  const failing = await db
    .selectFrom('midoffice')
    .selectAll()
    .where('failing_since', 'is not', null)
    .orderBy('failing_since')
    .limit(MOST_FAILING)
    .execute();
  const ids = failing.map(({ id }) => id);
  const pending = await pendingOf(db, ids);
  const lastAttempts = await lastAttemptsOf(db, ids);
  return {
    ...(await showBacklog(db)),
    in_flight: await countInFlight(desk),
    failing_midoffices: failing.map(({ id, name, failing_since }) => ({
      id,
      name,
      failing_since: isoOrNull(failing_since) as string,
      pending: pending.get(id) ?? 0,
      last_error: lastAttempts.get(id)?.error ?? null,
    })),
  };
}

async function nameKeys({ store }: Desk, refused: readonly RefusedKey[]) {
  if (refused.length === 0) return [];
  const rows = await store.db
    .selectFrom('api_key')
    .innerJoin('partner', 'partner.id', 'api_key.partner_id')
    .select(['api_key.key_id', 'api_key.label', 'partner.name'])
    .where(
      'api_key.key_id',
      'in',
      refused.map(({ keyId }) => keyId),
    )
    .execute();
  const byId = new Map(rows.map((row) => [row.key_id, row]));
  return refused.flatMap(({ keyId, refused }) => {
    const row = byId.get(keyId);
    return row ? [{ key_id: keyId, label: row.label, partner_name: row.name, refused }] : [];
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
