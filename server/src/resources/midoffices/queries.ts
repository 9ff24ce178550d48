import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isPostgres } from '../../store/engine.ts';
import type { Database, MidofficeRow, PendingUrlRow, TestEventRow } from '../../store/schema.ts';
import { nameContains } from '../name-queries.ts';
import { rowsOf } from '../row-queries.ts';

export const midoffices = rowsOf<MidofficeRow>('midoffice', 'id', 'midoffice_not_found');

/** Midoffices whose name contains the typed text. */
export async function searchMidoffices(
  db: Database,
  typed: string,
  limit: number,
): Promise<MidofficeRow[]> {
  return db
    .selectFrom('midoffice')
    .selectAll()
    .where(nameContains(db, typed))
    .limit(limit)
    .execute();
}

export type FailingMidoffice = Pick<MidofficeRow, 'id' | 'name'> & { failing_since: number };

/** Nothing but failures since before this time, or only since after it. */
export type FailingSince = { untilMs: number } | { afterMs: number };

/** How many midoffices are failing since then. */
export async function countFailing(db: Database, since: FailingSince): Promise<number> {
  const { failing } = await db
    .selectFrom('midoffice')
    .select((select) => select.fn.countAll<number>().as('failing'))
    .where(isFailing(since))
    .executeTakeFirstOrThrow();
  return Number(failing);
}

function isFailing(since: FailingSince): RawBuilder<SqlBool> {
  return 'untilMs' in since
    ? sql`failing_since <= ${since.untilMs}`
    : sql`failing_since > ${since.afterMs}`;
}

/** Midoffices that someone has paused. */
export async function pausedMidoffices(
  db: Database,
  limit: number,
): Promise<Pick<MidofficeRow, 'id' | 'name'>[]> {
  return (
    db
      .selectFrom('midoffice')
      .select(['id', 'name'])
      // Written out: a parameter could not use the index of those that are paused.
      .where('paused', '=', sql.lit(1))
      .limit(limit)
      .execute()
  );
}

/** The midoffices that have been failing for longest come first. */
export async function failingMidoffices(
  db: Database,
  since: FailingSince,
  limit: number,
): Promise<FailingMidoffice[]> {
  return db
    .selectFrom('midoffice')
    .select(['id', 'name', 'failing_since'])
    .where(isFailing(since))
    .$narrowType<{ failing_since: number }>()
    .orderBy('failing_since')
    .limit(limit)
    .execute();
}

/** Replaces the midoffice's earlier test event. */
export async function writeTestEvent(db: Database, row: TestEventRow): Promise<void> {
  await db
    .insertInto('test_event')
    .values(row)
    .onConflict((conflict) =>
      conflict.column('midoffice_id').doUpdateSet({
        at: sql`excluded.at`,
        actor: sql`excluded.actor`,
        outcome: sql`excluded.outcome`,
        attempt: sql`excluded.attempt`,
      }),
    )
    .execute();
}

export async function readTestEvent(
  db: Database,
  midofficeId: string,
): Promise<TestEventRow | undefined> {
  return db
    .selectFrom('test_event')
    .selectAll()
    .where('midoffice_id', '=', midofficeId)
    .executeTakeFirst();
}

/** How the latest test event of each of these midoffices ended. Those without one are left out. */
export async function readTestOutcomes(
  db: Database,
  midofficeIds: readonly string[],
): Promise<Map<string, TestEventRow['outcome']>> {
  if (midofficeIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('test_event')
    .select(['midoffice_id', 'outcome'])
    .where('midoffice_id', 'in', midofficeIds)
    .execute();
  return new Map(rows.map(({ midoffice_id, outcome }) => [midoffice_id, outcome]));
}

/** Those of these midoffices that a webhook was ever sent to. It lags by a few seconds. */
export async function attemptedMidoffices(
  db: Database,
  midofficeIds: readonly string[],
): Promise<Set<string>> {
  if (midofficeIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('last_attempt')
    .select('midoffice_id')
    .where('midoffice_id', 'in', midofficeIds)
    .execute();
  return new Set(rows.map(({ midoffice_id }) => midoffice_id));
}

/** Replaces the midoffice's earlier one. */
export async function writePendingUrl(db: Database, row: PendingUrlRow): Promise<void> {
  const { midoffice_id, ...columns } = row;
  await db
    .insertInto('receiver_wish')
    .values(row)
    .onConflict((conflict) => conflict.column('midoffice_id').doUpdateSet(columns))
    .execute();
}

export async function readPendingUrl(
  db: Database,
  midofficeId: string,
): Promise<PendingUrlRow | undefined> {
  return pendingUrlOf(db, midofficeId).executeTakeFirst();
}

/** Other changes of it wait until the end of the transaction. */
export async function findPendingUrlToChange(
  db: Database,
  midofficeId: string,
): Promise<PendingUrlRow | undefined> {
  const query = pendingUrlOf(db, midofficeId);
  return (isPostgres(db) ? query.forUpdate() : query).executeTakeFirst();
}

function pendingUrlOf(db: Database, midofficeId: string) {
  return db.selectFrom('receiver_wish').selectAll().where('midoffice_id', '=', midofficeId);
}

export async function deletePendingUrls(
  db: Database,
  midofficeIds: readonly string[],
): Promise<void> {
  await db.deleteFrom('receiver_wish').where('midoffice_id', 'in', midofficeIds).execute();
}

/** Whether anybody but this partner works with a midoffice, or has an order whose event named it. */
export async function hasOtherPartners(
  db: Database,
  partnerId: string,
  midofficeId: string,
): Promise<boolean> {
  const other = await db
    .selectFrom('partner')
    .select('id')
    .where('midoffice_id', '=', midofficeId)
    .where('id', '!=', partnerId)
    .limit(1)
    .executeTakeFirst();
  if (other) return true;
  const named = [await namedFor(db, midofficeId, 'asc'), await namedFor(db, midofficeId, 'desc')];
  return named.some((one) => one !== undefined && one !== partnerId);
}

/**
 * The first or last partner with an event that named a midoffice: if both are the same, there is no other. One partner
 * may have millions of such events, and whatever compares ids reads them all.
 */
async function namedFor(
  db: Database,
  midofficeId: string,
  order: 'asc' | 'desc',
): Promise<string | undefined> {
  const row = await db
    .selectFrom('delivery')
    .select('partner_id')
    .where('midoffice_id', '=', midofficeId)
    .where('asked_midoffice_id', 'is not', null)
    .orderBy('partner_id', order)
    .limit(1)
    .executeTakeFirst();
  return row?.partner_id;
}

export async function isSignedWithKeyOf(
  db: Database,
  partnerId: string,
  midofficeId: string,
): Promise<boolean> {
  const own = await db
    .selectFrom('midoffice')
    .innerJoin('api_key', 'api_key.key_id', 'midoffice.signing_key_id')
    .select('midoffice.id')
    .where('midoffice.id', '=', midofficeId)
    .where('api_key.partner_id', '=', partnerId)
    .executeTakeFirst();
  return own !== undefined;
}

/** Those of these midoffices that partners work with, but not the partner whose key signs. */
export async function signedWithKeysOfOthers(
  db: Database,
  midofficeIds: readonly string[],
): Promise<Set<string>> {
  if (midofficeIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('midoffice')
    .innerJoin('api_key', 'api_key.key_id', 'midoffice.signing_key_id')
    .innerJoin('partner as owner', 'owner.id', 'api_key.partner_id')
    .select('midoffice.id')
    .where('midoffice.id', 'in', midofficeIds)
    .where((where) =>
      where.or([
        where('owner.midoffice_id', 'is', null),
        where('owner.midoffice_id', '!=', where.ref('midoffice.id')),
      ]),
    )
    .where((where) =>
      where.exists(
        where
          .selectFrom('partner')
          .select('partner.id')
          .whereRef('partner.midoffice_id', '=', 'midoffice.id'),
      ),
    )
    .execute();
  return new Set(rows.map(({ id }) => id));
}

/** The partners that work with these midoffices. */
export async function readPartnersOf(
  db: Database,
  midofficeIds: readonly string[],
): Promise<{ id: string; midoffice_id: string }[]> {
  return db
    .selectFrom('partner')
    .select(['id', 'midoffice_id'])
    .where('midoffice_id', 'in', midofficeIds)
    .$narrowType<{ midoffice_id: string }>()
    .execute();
}
