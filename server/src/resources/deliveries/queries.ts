import { isRepeated } from '../../delivery/schedule.ts';
import type { AttemptRow, Database } from '../../store/schema.ts';

/** The attempts of one delivery, oldest first. */
export async function readAttempts(db: Database, deliverySeq: number): Promise<AttemptRow[]> {
  return db
    .selectFrom('attempt')
    .selectAll()
    .where('delivery_seq', '=', deliverySeq)
    .orderBy('number')
    .execute();
}

/** The newest attempts of several deliveries, beginning with those of the first. Replays can make a delivery's many. */
export async function readNewestAttempts(
  db: Database,
  seqs: readonly number[],
  limit: number,
): Promise<AttemptRow[]> {
  const read: AttemptRow[] = [];
  for (const seq of seqs) {
    const rows = await db
      .selectFrom('attempt')
      .selectAll()
      .where('delivery_seq', '=', seq)
      .orderBy('number', 'desc')
      .limit(limit - read.length)
      .execute();
    read.push(...rows);
    if (read.length === limit) break;
  }
  return read;
}

/** So many orders of a change of many are named, as an example. */
export const ORDERS_NAMED = 3;

/** The orders of the first of these deliveries. */
export async function firstOrders(db: Database, seqs: readonly number[]): Promise<string[]> {
  const first = seqs.slice(0, ORDERS_NAMED);
  if (first.length === 0) return [];
  const rows = await db
    .selectFrom('delivery')
    .select('partner_order_id')
    .where('seq', 'in', first)
    .orderBy('seq')
    .execute();
  return rows.map(({ partner_order_id }) => partner_order_id);
}

/**
 * The latest attempt for each of these midoffices, by midoffice id. It lags by a few seconds, because
 * nodes record it in batches. Midoffices without attempts are left out.
 */
export async function readLastAttempts(
  db: Database,
  midofficeIds: readonly string[],
): Promise<Map<string, AttemptRow>> {
  if (midofficeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('last_attempt')
    .innerJoin('attempt', (join) =>
      join
        .onRef('attempt.delivery_seq', '=', 'last_attempt.delivery_seq')
        .onRef('attempt.number', '=', 'last_attempt.number'),
    )
    .selectAll('attempt')
    .select('last_attempt.midoffice_id')
    .where('last_attempt.midoffice_id', 'in', midofficeIds)
    .execute();
  return new Map(rows.map(({ midoffice_id, ...attempt }) => [midoffice_id, attempt]));
}

/** A share of their attempts says how a midoffice fares, whatever came before. */
export const NEWEST_JUDGED = 100;

/**
 * Which share of the attempts since then failed, for the newest deliveries of the midoffice; null without attempts. Those
 * that are made again at once say nothing about the receiver.
 */
export async function readFailedShare(
  db: Database,
  midofficeId: string,
  sinceMs: number,
): Promise<number | null> {
  const newest = db
    .selectFrom('delivery')
    .select('seq')
    .where('midoffice_id', '=', midofficeId)
    .orderBy('seq', 'desc')
    .limit(NEWEST_JUDGED);
  const rows = await db
    .selectFrom(newest.as('newest'))
    .innerJoin('attempt', 'attempt.delivery_seq', 'newest.seq')
    .select(['attempt.outcome', 'attempt.failure_code'])
    .where('attempt.started_at', '>=', sinceMs)
    .execute();
  const counted = rows.filter((attempt) => !isRepeated(attempt));
  if (counted.length === 0) return null;
  return counted.filter(({ outcome }) => outcome !== 'delivered').length / counted.length;
}
