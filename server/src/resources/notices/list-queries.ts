/** Finds notices, newest first, by what an index serves. list-plans.test.ts checks it for each filter. */
import { sql } from 'kysely';
import type { NoticeKind } from '../../notices/kinds.ts';
import type { Database, NoticeRow } from '../../store/schema.ts';
import { readNewest, type Slice } from '../../store/slice.ts';

/** What a list of notices can be narrowed to: most mails are sent, so a filter for those would find nearly everything. */
export const unsentStates = ['waiting', 'given_up'] as const;
export type UnsentState = (typeof unsentStates)[number];

/** Spelt as in the indexes of mails that were not sent. */
const isInState: Record<UnsentState, string> = {
  waiting: 'due_at is not null',
  given_up: 'due_at is null and sent_at is null',
};

/**
 * With another filter beside it, a state is looked for among so many mails, the newest ones. No index has both, and while
 * no mail server answers, everything waits.
 */
export const MAILS_SEARCHED = 10_000;

export interface NoticeFilter {
  partnerId?: string | undefined;
  kind?: NoticeKind | undefined;
  /** Those with a mail in this state. */
  mail?: UnsentState | undefined;
}

export type FoundNotice = NoticeRow & { partner_name: string };

export async function findNotices(
  db: Database,
  slice: Slice,
  { mail, ...filter }: NoticeFilter,
): Promise<FoundNotice[]> {
  let query = db
    .selectFrom('notice')
    .innerJoin('partner', 'partner.id', 'notice.partner_id')
    .selectAll('notice')
    .select('partner.name as partner_name');
  if (mail !== undefined) {
    const ids = await unsentNotices(db, slice, { mail, ...filter });
    if (ids.length === 0) return [];
    return query.where('notice.id', 'in', ids).orderBy('notice.id', 'desc').execute();
  }
  const { partnerId, kind } = filter;
  if (partnerId !== undefined) query = query.where('partner_id', '=', partnerId);
  if (kind !== undefined) query = query.where('kind', '=', kind);
  return readNewest(query, slice, { time: 'notice.at', id: 'notice.id' });
}

/** Ids of notices begin with their time, so that they are in the order of the list. */
async function unsentNotices(
  db: Database,
  { limit, after }: Slice,
  { partnerId, kind, mail }: NoticeFilter & { mail: UnsentState },
): Promise<string[]> {
  const inState = sql.raw<boolean>(isInState[mail]);
  const isOlder = after
    ? sql<boolean>`notice_id < ${after[1]}`
    : sql<boolean>`notice_id is not null`;
  const mails = db.selectFrom('mail').select(['notice_id', 'due_at', 'sent_at']);
  const unsent = mails.where(inState).where('notice_id', 'is not', null).where(isOlder);
  const newestOfPartner = mails
    .where('partner_id', '=', partnerId ?? '')
    .orderBy('created_at', 'desc')
    .limit(MAILS_SEARCHED);
  const newestUnsent = unsent.orderBy('notice_id', 'desc').limit(MAILS_SEARCHED);
  const others = kind === undefined ? unsent : newestUnsent;
  const rows = await db
    .selectFrom((partnerId === undefined ? others : newestOfPartner).as('mails'))
    .select('notice_id')
    .distinct()
    .where(inState)
    .where(isOlder)
    // Not a join: SQLite without statistics would begin with all notices of the kind.
    .$if(kind !== undefined, (query) =>
      query.where(
        ({ selectFrom }) =>
          selectFrom('notice').select('kind').whereRef('notice.id', '=', 'mails.notice_id'),
        '=',
        kind as NoticeKind,
      ),
    )
    .orderBy('notice_id', 'desc')
    .limit(limit)
    .$narrowType<{ notice_id: string }>()
    .execute();
  return rows.map(({ notice_id }) => notice_id);
}
