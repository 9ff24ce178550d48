/**
 * Deliveries of a midoffice that were given up, accepted in a span of time, oldest first: exhausted,
 * cancelled, or of a partner that had no midoffice then and works with this one now.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../store/schema.ts';

export interface GivenUp {
  midofficeId: string;
  nowMs: number;
  sinceMs: number;
  untilMs: number;
}

const COUNTED_AT_ONCE = 10_000;

/**
 * The next `limit` after a sequence number. Each state is asked for by itself: only then does SQLite
 * step through the index of what was given up, and not through all that the midoffice ever got.
 */
export async function pickGivenUp(
  db: Kysely<Schema>,
  { midofficeId, nowMs, sinceMs, untilMs }: GivenUp,
  after: number,
  limit: number,
): Promise<number[]> {
  const picked: number[] = [];
  for (const state of ['exhausted', 'cancelled']) {
    const rows = await db
      .selectFrom('delivery')
      .select('seq')
      // As the index has it, or SQLite would not see that it may use it.
      .where('state', 'in', [sql.lit('exhausted'), sql.lit('cancelled')])
      .where('state', '=', state)
      .where('midoffice_id', '=', midofficeId)
      .where('seq', '>', after)
      .where('accepted_at', '>=', sinceMs)
      .where('accepted_at', '<=', untilMs)
      // Not while an attempt is under way; a lease whose time is up belongs to nobody.
      .where((where) => where.or([where('lease', 'is', null), where('due_at', '<=', nowMs)]))
      .orderBy('seq')
      .limit(limit)
      .execute();
    picked.push(...rows.map((row) => row.seq));
  }
  const unrouted = await db
    .selectFrom('delivery')
    .innerJoin('partner', 'partner.id', 'delivery.partner_id')
    .select('delivery.seq')
    .where('partner.midoffice_id', '=', midofficeId)
    .where('delivery.state', '=', sql.lit('unrouted'))
    .where('delivery.seq', '>', after)
    .where('delivery.accepted_at', '>=', sinceMs)
    .where('delivery.accepted_at', '<=', untilMs)
    .orderBy('delivery.seq')
    .limit(limit)
    .execute();
  picked.push(...unrouted.map((row) => row.seq));
  return picked.sort((a, b) => a - b).slice(0, limit);
}

/** A part at a time, so that nothing waits for it. */
export async function countGivenUp(db: Kysely<Schema>, which: GivenUp): Promise<number> {
  let count = 0;
  let after = 0;
  for (;;) {
    const seqs = await pickGivenUp(db, which, after, COUNTED_AT_ONCE);
    count += seqs.length;
    if (seqs.length < COUNTED_AT_ONCE) return count;
    after = seqs[seqs.length - 1] as number;
    await nextTurn();
  }
}
