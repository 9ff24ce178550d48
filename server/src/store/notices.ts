/**
 * Notices whose cause is a state that lasts: a receiver that fails, and then works again, and a key that expires. Every
 * node looks for them, and whoever finds one first stores it. Notices whose cause is a row are stored together with it:
 * by actions in resources/, and by the engines where deliveries are settled and usage is added.
 */

import { sql } from 'kysely';
import {
  EXPIRY_DAYS,
  type NoticeFacts,
  type NoticeKind,
  newNotice,
  type StoredNotice,
  TELL_FAILING_AFTER_MS,
} from '../notices/kinds.ts';
import { DAY_MS } from '../usage-history/counts.ts';
import type { Database } from './schema.ts';

/** In one statement, and of a kind in one round. */
const AT_ONCE = 500;
export const NOTICES_KEPT_MS = 90 * DAY_MS;

/** Those whose cause is known already are left out. */
export async function insertNotices(db: Database, notices: readonly StoredNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await db
    .insertInto('notice')
    .values(notices.map((notice) => ({ ...notice, queued_at: null })))
    .onConflict((conflict) => conflict.columns(['partner_id', 'kind', 'cause']).doNothing())
    .execute();
}

/** For each partner that works with the midoffice. */
export async function noticePartnersOf(
  db: Database,
  midofficeId: string,
  noticeFor: (partnerId: string) => StoredNotice,
): Promise<void> {
  const partners = await db
    .selectFrom('partner')
    .select('id')
    .where('midoffice_id', '=', midofficeId)
    .execute();
  for (let i = 0; i < partners.length; i += AT_ONCE) {
    const some = partners.slice(i, i + AT_ONCE);
    await insertNotices(
      db,
      some.map(({ id }) => noticeFor(id)),
    );
  }
}

/** One round. What is left comes in the next. */
export async function noticeFailing(db: Database, nowMs: number): Promise<void> {
  const rows = await db
    .selectFrom('midoffice')
    .innerJoin('partner', 'partner.midoffice_id', 'midoffice.id')
    .select(['partner.id as partner_id', 'midoffice.id', 'midoffice.url'])
    .select('midoffice.failing_since')
    .where('failing_since', '<=', nowMs - TELL_FAILING_AFTER_MS)
    .where(untold('receiver_failing', sql`midoffice.id || ' ' || midoffice.failing_since`))
    .$narrowType<{ failing_since: number }>()
    .limit(AT_ONCE)
    .execute();
  await insertNotices(
    db,
    rows.map(({ partner_id, id, url, failing_since }) => {
      const facts = { midoffice_id: id, host: hostOf(url), failing_since };
      return newNotice(partner_id, 'receiver_failing', facts, nowMs);
    }),
  );
}

/** Only where the partner was told of the failure. */
export async function noticeRecovered(db: Database, nowMs: number): Promise<void> {
  const told = await db
    .selectFrom('notice as told')
    .innerJoin('partner', 'partner.id', 'told.partner_id')
    .select(['partner.id as partner_id', 'told.facts'])
    .where('told.kind', '=', sql.lit('receiver_failing'))
    .where(untold('receiver_recovered', sql`told.cause`))
    .execute();
  if (told.length === 0) return;
  const open = told.map(({ partner_id, facts }) => ({
    partner_id,
    facts: JSON.parse(facts) as NoticeFacts['receiver_failing'],
  }));
  const failing = await db
    .selectFrom('midoffice')
    .select(['id', 'failing_since'])
    .where('failing_since', 'is not', null)
    .execute();
  const since = new Map(failing.map(({ id, failing_since }) => [id, failing_since]));
  const over = open.filter(({ facts }) => since.get(facts.midoffice_id) !== facts.failing_since);
  await insertNotices(
    db,
    over
      .slice(0, AT_ONCE)
      .map(({ partner_id, facts }) => newNotice(partner_id, 'receiver_recovered', facts, nowMs)),
  );
}

export async function noticeExpiring(db: Database, nowMs: number): Promise<void> {
  let fromMs = nowMs;
  for (const days of EXPIRY_DAYS) {
    const untilMs = nowMs + days * DAY_MS;
    const rows = await db
      .selectFrom('api_key')
      .innerJoin('partner', 'partner.id', 'api_key.partner_id')
      .select(['partner.id as partner_id', 'key_id', 'expires_at'])
      // As the index has it.
      .where(sql<boolean>`coalesce(expires_at, 9007199254740991) > ${fromMs}`)
      .where(sql<boolean>`coalesce(expires_at, 9007199254740991) <= ${untilMs}`)
      .where('revoked_at', 'is', null)
      .where(untold('key_expires', sql`key_id || ' ' || expires_at || ' ' || ${sql.lit(days)}`))
      .$narrowType<{ expires_at: number }>()
      .limit(AT_ONCE)
      .execute();
    await insertNotices(
      db,
      rows.map(({ partner_id, key_id, expires_at }) =>
        newNotice(partner_id, 'key_expires', { key_id, expires_at, days }, nowMs),
      ),
    );
    fromMs = untilMs;
  }
}

/** `cause` is what the rule of the kind makes of the same row (notices/kinds.ts). */
function untold(kind: NoticeKind, cause: ReturnType<typeof sql>) {
  return sql<boolean>`not exists (
    select 1 from notice known
     where known.partner_id = partner.id and known.kind = ${kind} and known.cause = ${cause})`;
}

/** A batch of what is kept no longer; false if nothing is left to delete. */
export async function deleteOldNotices(db: Database, nowMs: number): Promise<boolean> {
  let hasMore = false;
  await db.deleteFrom('contact_link').where('expires_at', '<=', nowMs).execute();
  for (const [table, time] of [
    ['notice', 'at'],
    ['mail', 'created_at'],
  ] as const) {
    const { numAffectedRows } = await sql`
      delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where ${sql.ref(time)} < ${nowMs - NOTICES_KEPT_MS}
         order by ${sql.ref(time)} limit ${sql.lit(AT_ONCE)})`.execute(db);
    if (Number(numAffectedRows) === AT_ONCE) hasMore = true;
  }
  return hasMore;
}

/** The rest of a URL may hold a secret. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? 'your receiver';
}
