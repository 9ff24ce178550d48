import { sql } from 'kysely';
import { isPostgres } from '../../store/engine.ts';
import type { AuditRow, Database, GivenUpRow, PartnerRow } from '../../store/schema.ts';
import type { Slice } from '../../store/slice.ts';
import { newestKeys } from '../keys/queries.ts';
import { NAMES_SEARCHED, nameContains } from '../name-queries.ts';
import { rowsOf } from '../row-queries.ts';

export const partners = rowsOf<PartnerRow>('partner', 'id', 'partner_not_found');

/** Whether there is a partner, of this name if one is given. */
export async function hasPartner(db: Database, name?: string): Promise<boolean> {
  let query = db.selectFrom('partner').select('id').limit(1);
  if (name !== undefined) query = query.where('name', '=', name);
  return (await query.executeTakeFirst()) !== undefined;
}

/** Partners whose name contains the typed text, among the newest. */
export async function searchPartners(
  db: Database,
  typed: string,
  limit: number,
): Promise<PartnerRow[]> {
  const ids = db
    .selectFrom(newestNames(db).as('newest'))
    .select('id')
    .where(nameContains(db, typed))
    .limit(limit);
  return db.selectFrom('partner').selectAll().where('id', 'in', ids).execute();
}

/** An index has these columns, so that the partners themselves are not read. */
function newestNames(db: Database) {
  return db
    .selectFrom('partner')
    .select(['id', 'name'])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(NAMES_SEARCHED);
}

/** Each of them is a look at an index. */
const MOST_KEYS = 20;

/** What changes of a partner are about: itself, its midoffice and its newest keys. */
export async function subjectsOf(
  db: Database,
  { id, midoffice_id }: Pick<PartnerRow, 'id' | 'midoffice_id'>,
): Promise<string[]> {
  const keys = await newestKeys(db, { limit: MOST_KEYS }, { partnerId: id });
  return [id, ...(midoffice_id === null ? [] : [midoffice_id]), ...keys.map((key) => key.key_id)];
}

/**
 * The newest changes of these subjects. Notes are among them, because the audit has their text. An index finds the
 * newest rows of one subject, but not of several, so each subject is a query of its own, all of them in one statement.
 * PostgreSQL needs about a millisecond to plan each.
 */
export async function changesOf(
  db: Database,
  { limit, after }: Slice,
  subjects: readonly string[],
  /** Entries with these actions are left out. */
  without: readonly string[] = [],
): Promise<AuditRow[]> {
  const left = without.length > 0 ? sql`and action not in (${sql.join(without)})` : sql``;
  const position = after ? sql`and (at, id) < (${after[0]}, ${after[1]})` : sql``;
  // As an expression: see the compiler of the embedded database.
  const most = isPostgres(db) ? sql`${limit}` : sql`+${limit}`;
  const ofEach = subjects.map(
    (subject) => sql`select * from (
      select * from audit where subject = ${subject} ${left} ${position}
       order by at desc, id desc limit ${most}) as one`,
  );
  const { rows } = await sql<AuditRow>`
    select * from (${sql.join(ofEach, sql` union all `)}) as every
     order by at desc, id desc limit ${most}`.execute(db);
  return rows;
}

export interface TroubledDelivery {
  seq: number;
  partner_order_id: string;
  state: GivenUpRow['state'] | 'unrouted';
  /** When it was given up, or accepted without a midoffice. */
  at: number;
}

/** Those of the partner's `newest` deliveries that were given up or had no midoffice to go to. */
export async function troubledDeliveries(
  db: Database,
  partnerId: string,
  newest: number,
): Promise<TroubledDelivery[]> {
  // Subqueries and not a join: PostgreSQL would read everything that was ever given up.
  const { rows } = await sql<TroubledDelivery>`
    select seq, partner_order_id, coalesce(state, 'unrouted') as state, coalesce(given_up_at, accepted_at) as at
      from (select d.seq, d.partner_order_id, d.midoffice_id, d.accepted_at,
                   (select g.state from given_up g where g.seq = d.seq) as state,
                   (select g.at from given_up g where g.seq = d.seq) as given_up_at
              from (select seq, partner_order_id, midoffice_id, accepted_at from delivery
                     where partner_id = ${partnerId} order by seq desc limit ${sql.lit(newest)}) as d) as found
     where state is not null or midoffice_id is null`.execute(db);
  return rows;
}
