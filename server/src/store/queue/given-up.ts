/**
 * What a recovery of a midoffice queues again, oldest first: deliveries accepted in a span of time that were given up
 * there, and those of the partners that work with it now which were given up at an earlier midoffice of theirs or are
 * unrouted. One that was cancelled before it had a midoffice is like the unrouted ones: it would go there too.
 */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely';
import { givenUpStates } from '../../delivery/states.ts';
import type { Schema } from '../schema.ts';
import { acceptedBetween } from './conditions.ts';

export interface GivenUp {
  midofficeId: string;
  /** Only the orders of this partner, where several share the midoffice. */
  partnerId?: string | undefined;
  sinceMs: number;
  untilMs: number;
}

const COUNTED_AT_ONCE = 10_000;

/** The next `limit` after a sequence number. Each state is a query of its own, in the order of its index. */
export async function pickGivenUp(
  db: Kysely<Schema>,
  { midofficeId, partnerId, sinceMs, untilMs }: GivenUp,
  after: number,
  limit: number,
): Promise<number[]> {
  const inSpan = acceptedBetween(sinceMs, untilMs);
  const isWanted = ofPartner(partnerId);
  const picked: number[] = [];
  for (const state of givenUpStates) {
    const rows = await db
      .selectFrom('given_up')
      .crossJoin('delivery')
      .select('given_up.seq')
      .whereRef('delivery.seq', '=', 'given_up.seq')
      .where('given_up.midoffice_id', '=', midofficeId)
      .where('given_up.state', '=', state)
      .where('given_up.seq', '>', after)
      .where(inSpan)
      .where(isWanted)
      .orderBy('given_up.seq')
      .limit(limit)
      .execute();
    picked.push(...rows.map((row) => row.seq));
  }
  const withoutMidoffice = await db
    .selectFrom('delivery')
    .innerJoin('partner', 'partner.id', 'delivery.partner_id')
    .select('delivery.seq')
    .where('partner.midoffice_id', '=', midofficeId)
    .where('delivery.midoffice_id', 'is', null)
    .where('delivery.seq', '>', after)
    .where(inSpan)
    .where(isWanted)
    .orderBy('delivery.seq')
    .limit(limit)
    .execute();
  picked.push(...withoutMidoffice.map((row) => row.seq));
  // Two ranges of the index, so that what was given up at this midoffice is not read once more.
  for (const side of ['<', '>'] as const) {
    const leftBehind = await db
      .selectFrom('partner')
      .innerJoin('given_up', 'given_up.partner_id', 'partner.id')
      .innerJoin('delivery', 'delivery.seq', 'given_up.seq')
      .select('given_up.seq')
      .where('partner.midoffice_id', '=', midofficeId)
      .where('given_up.midoffice_id', side, midofficeId)
      .where('given_up.seq', '>', after)
      // One that was asked to go to a midoffice stays there.
      .where('delivery.asked_midoffice_id', 'is', null)
      .where(inSpan)
      .where(isWanted)
      .orderBy('given_up.seq')
      .limit(limit)
      .execute();
    picked.push(...leftBehind.map((row) => row.seq));
  }
  return picked.sort((a, b) => a - b).slice(0, limit);
}

function ofPartner(partnerId: string | undefined): RawBuilder<SqlBool> {
  return partnerId === undefined ? sql`1 = 1` : sql`delivery.partner_id = ${partnerId}`;
}

/** Counts in batches, so that nothing else has to wait for it. */
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
