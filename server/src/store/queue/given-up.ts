/**
 * What a recovery of a midoffice queues again, oldest first: deliveries accepted in a span of time that were given up
 * there, and those of the partners that work with it now which were given up at an earlier midoffice of theirs or are
 * unrouted. One that was cancelled before it had a midoffice is like the unrouted ones: it would go there too.
 *
 * They are found outside of any transaction, in windows of sequence numbers. A window has a bounded number of rows,
 * whether or not they match, and it begins at the next row that may match, so gaps cost nothing. The transaction that
 * queues them looks only at those that were found.
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

/** Sequence numbers in a window: a window full of rows takes the embedded database about 10 ms. */
export const WINDOW = 5_000;

/** The first `most`, oldest first. */
export async function findGivenUp(
  db: Kysely<Schema>,
  which: GivenUp,
  most: number,
): Promise<number[]> {
  const found: number[] = [];
  for await (const seqs of windows(db, which)) {
    for (const seq of seqs) {
      if (found.length === most) return found;
      found.push(seq);
    }
  }
  return found;
}

export async function countGivenUp(db: Kysely<Schema>, which: GivenUp): Promise<number> {
  let count = 0;
  for await (const seqs of windows(db, which)) count += seqs.length;
  return count;
}

/**
 * Which of those that were found can still be recovered: some may have been sent, or their partner moved. What they
 * were accepted as does not change. Each is looked up by its number, whatever the planner knows.
 */
export async function stillGivenUp(
  db: Kysely<Schema>,
  { midofficeId }: Pick<GivenUp, 'midofficeId'>,
  seqs: readonly number[],
): Promise<number[]> {
  if (seqs.length === 0) return [];
  const rows = await db
    .selectFrom('delivery')
    .leftJoin('given_up', 'given_up.seq', 'delivery.seq')
    .leftJoin('partner', 'partner.id', 'delivery.partner_id')
    .select('delivery.seq')
    .where('delivery.seq', 'in', seqs)
    .where(({ and, eb, or }) =>
      or([
        eb('given_up.midoffice_id', '=', midofficeId),
        and([
          eb('partner.midoffice_id', '=', midofficeId),
          or([
            eb('delivery.midoffice_id', 'is', null),
            and([
              eb('given_up.midoffice_id', 'is not', null),
              eb('delivery.asked_midoffice_id', 'is', null),
            ]),
          ]),
        ]),
      ]),
    )
    .orderBy('delivery.seq')
    .execute();
  return rows.map(({ seq }) => seq);
}

async function* windows(db: Kysely<Schema>, which: GivenUp): AsyncGenerator<number[]> {
  let after = 0;
  for (;;) {
    const first = await nextCandidate(db, which, after);
    if (first === null) return;
    const last = first + WINDOW - 1;
    yield await pick(db, which, first, last);
    after = last;
    await nextTurn();
  }
}

/**
 * The next row that may match. What a partner gave up at this midoffice is not left out here: to skip it would be to
 * read it all.
 */
async function nextCandidate(
  db: Kysely<Schema>,
  { midofficeId, partnerId }: GivenUp,
  after: number,
): Promise<number | null> {
  const here = givenUpStates.map(
    (state) => sql`select min(seq) as seq from given_up
       where midoffice_id = ${midofficeId} and state = ${state} and seq > ${after}`,
  );
  const ofPartner = partnerId === undefined ? sql`1 = 1` : sql`partner.id = ${partnerId}`;
  const partners = sql`from partner where partner.midoffice_id = ${midofficeId} and ${ofPartner}`;
  const leftBehind = sql`select (select given_up.seq from given_up
       where given_up.partner_id = partner.id and given_up.seq > ${after}
       order by given_up.seq limit 1) as seq ${partners}`;
  const withoutMidoffice = sql`select (select delivery.seq from delivery
       where delivery.partner_id = partner.id and delivery.midoffice_id is null and delivery.seq > ${after}
       order by delivery.seq limit 1) as seq ${partners}`;
  const { rows } = await sql<{ seq: number | null }>`
    select min(seq) as seq
      from (${sql.join([...here, leftBehind, withoutMidoffice], sql` union all `)}) candidate`.execute(
    db,
  );
  return rows[0]?.seq ?? null;
}

async function pick(
  db: Kysely<Schema>,
  { midofficeId, partnerId, sinceMs, untilMs }: GivenUp,
  first: number,
  last: number,
): Promise<number[]> {
  const inSpan = acceptedBetween(sinceMs, untilMs);
  const isWanted = ofPartner(partnerId);
  // Cross joins, because SQLite keeps their order: it must not begin with everything that was accepted in the span.
  const here = await db
    .selectFrom('given_up')
    .crossJoin('delivery')
    .select('given_up.seq')
    .whereRef('delivery.seq', '=', 'given_up.seq')
    .where('given_up.midoffice_id', '=', midofficeId)
    .where('given_up.state', 'in', givenUpStates)
    .where('given_up.seq', '>=', first)
    .where('given_up.seq', '<=', last)
    .where(inSpan)
    .where(isWanted)
    .execute();
  const withoutMidoffice = await db
    .selectFrom('partner')
    .crossJoin('delivery')
    .select('delivery.seq')
    .whereRef('delivery.partner_id', '=', 'partner.id')
    .where('partner.midoffice_id', '=', midofficeId)
    .where('delivery.midoffice_id', 'is', null)
    .where('delivery.seq', '>=', first)
    .where('delivery.seq', '<=', last)
    .where(inSpan)
    .where(isWanted)
    .execute();
  const leftBehind = await db
    .selectFrom('partner')
    .crossJoin('given_up')
    .crossJoin('delivery')
    .select('given_up.seq')
    .whereRef('given_up.partner_id', '=', 'partner.id')
    .whereRef('delivery.seq', '=', 'given_up.seq')
    .where('partner.midoffice_id', '=', midofficeId)
    .where('given_up.midoffice_id', '<>', midofficeId)
    .where('given_up.seq', '>=', first)
    .where('given_up.seq', '<=', last)
    // One that was asked to go to a midoffice stays there.
    .where('delivery.asked_midoffice_id', 'is', null)
    .where(inSpan)
    .where(isWanted)
    .execute();
  return [...here, ...withoutMidoffice, ...leftBehind].map(({ seq }) => seq).sort((a, b) => a - b);
}

function ofPartner(partnerId: string | undefined): RawBuilder<SqlBool> {
  return partnerId === undefined ? sql`1 = 1` : sql`delivery.partner_id = ${partnerId}`;
}
