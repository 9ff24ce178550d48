/**
 * What happened to a partner, its keys and its midoffice. An index finds the newest rows of one subject, but not of
 * several, so each subject is a query of its own, all of them in one statement.
 */
import { type RawBuilder, sql } from 'kysely';
import type { AuditRow, Database, GivenUpRow, NoteRow } from '../schema.ts';
import type { Slice } from './page.ts';

/** The newest changes of these subjects. Notes are left out: they are listed themselves. */
export async function changesOf(
  db: Database,
  slice: Slice,
  subjects: readonly string[],
): Promise<AuditRow[]> {
  return newestOf(db, slice, subjects, sql`audit`, sql`and action <> 'note.create'`);
}

export async function notesOf(
  db: Database,
  slice: Slice,
  subjects: readonly string[],
): Promise<NoteRow[]> {
  return newestOf(db, slice, subjects, sql`note`, sql``);
}

async function newestOf<Row>(
  db: Database,
  { limit, after }: Slice,
  subjects: readonly string[],
  table: RawBuilder<unknown>,
  condition: RawBuilder<unknown>,
): Promise<Row[]> {
  const position = after ? sql`and (at, id) < (${after[0]}, ${after[1]})` : sql``;
  const ofEach = subjects.map(
    (subject) => sql`select * from (
      select * from ${table} where subject = ${subject} ${condition} ${position}
       order by at desc, id desc limit ${limit}) as one`,
  );
  const { rows } = await sql<Row>`
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
  const { rows } = await sql<TroubledDelivery>`
    select d.seq, coalesce(g.state, 'unrouted') as state, coalesce(g.at, d.accepted_at) as at
      from (select seq, midoffice_id, accepted_at from delivery
             where partner_id = ${partnerId} order by seq desc limit ${newest}) as d
      left join given_up as g on g.seq = d.seq
     where g.seq is not null or d.midoffice_id is null`.execute(db);
  return rows;
}
