/**
 * What happened to a partner, its keys and its midoffice. An index finds the newest rows of one subject, but not of
 * several, so each subject is a query of its own, all of them in one statement. PostgreSQL needs about a millisecond
 * to plan each.
 */
import { sql } from 'kysely';
import type { AuditRow, Database, GivenUpRow } from '../../store/schema.ts';
import type { Slice } from '../../store/slice.ts';

/** The newest changes of these subjects. Notes are among them, because the audit has their text. */
export async function changesOf(
  db: Database,
  { limit, after }: Slice,
  subjects: readonly string[],
): Promise<AuditRow[]> {
  const position = after ? sql`and (at, id) < (${after[0]}, ${after[1]})` : sql``;
  const ofEach = subjects.map(
    (subject) => sql`select * from (
      select * from audit where subject = ${subject} ${position}
       order by at desc, id desc limit ${limit}) as one`,
  );
  const { rows } = await sql<AuditRow>`
    select * from (${sql.join(ofEach, sql` union all `)}) as every
     order by at desc, id desc limit ${limit}`.execute(db);
  return rows;
}

export interface TroubledDelivery {
  seq: number;
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
    select seq, coalesce(state, 'unrouted') as state, coalesce(given_up_at, accepted_at) as at
      from (select d.seq, d.midoffice_id, d.accepted_at,
                   (select g.state from given_up g where g.seq = d.seq) as state,
                   (select g.at from given_up g where g.seq = d.seq) as given_up_at
              from (select seq, midoffice_id, accepted_at from delivery
                     where partner_id = ${partnerId} order by seq desc limit ${newest}) as d) as found
     where state is not null or midoffice_id is null`.execute(db);
  return rows;
}
