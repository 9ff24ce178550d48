/**
 * Notices whose cause is a state that lasts: a receiver that fails, and then works again, and a key that expires. Every
 * node looks for them, and whoever finds one first stores it. Notices whose cause is a row are stored together with it:
 * by actions in resources/, and by the engines where deliveries are settled and usage is added.
 */

import { sql } from 'kysely';
import { readPages } from '../base/pages.ts';
import { DAY_MS } from '../gateway/usage-history/counts.ts';
import {
  EXPIRY_DAYS,
  type NoticeFacts,
  type NoticeKind,
  newNotice,
  type StoredNotice,
  TELL_FAILING_AFTER_MS,
} from '../notices/kinds.ts';
import type { Database, NoticeRow } from './schema.ts';

/** Rows of a statement, and of a turn of the event loop. */
const AT_ONCE = 500;
export const NOTICES_KEPT_MS = 90 * DAY_MS;

/** Those whose cause is known already are left out. */
export async function insertNotices(db: Database, notices: readonly StoredNotice[]): Promise<void> {
  if (notices.length === 0) return;
  await db
    .insertInto('notice')
    .values(notices.map((notice) => ({ ...notice, queued_at: null, over_at: null })))
    .onConflict((conflict) => conflict.columns(['partner_id', 'kind', 'cause']).doNothing())
    .execute();
}

/** One round. Of a midoffice that very many partners share, the rest comes in the next. */
export async function noticeFailing(db: Database, nowMs: number): Promise<void> {
  const pages = readPages<FailingReceiver>(AT_ONCE, (last, size) =>
    db
      .selectFrom('midoffice')
      .select(['id', 'url', 'failing_since'])
      .where('failing_since', '<=', nowMs - TELL_FAILING_AFTER_MS)
      .$if(last !== undefined, (query) => query.where(isAfter(last as FailingReceiver)))
      .orderBy('failing_since')
      .orderBy('id')
      .limit(size)
      .$narrowType<{ failing_since: number }>()
      .execute(),
  );
  for await (const page of pages) {
    const failing = new Map(page.map((one) => [one.id, one]));
    const untoldPartners = await db
      .selectFrom('partner')
      .innerJoin('midoffice', 'midoffice.id', 'partner.midoffice_id')
      .select(['partner.id', 'midoffice.id as midoffice_id'])
      .where('partner.midoffice_id', 'in', [...failing.keys()])
      .where(untold('receiver_failing', sql`midoffice.id || ' ' || midoffice.failing_since`))
      .orderBy('partner.id')
      .limit(AT_ONCE)
      .execute();
    await insertNotices(
      db,
      untoldPartners.map(({ id, midoffice_id }) => {
        const { url, failing_since } = failing.get(midoffice_id) as FailingReceiver;
        const facts = { midoffice_id, host: hostOf(url), failing_since };
        return newNotice(id, 'receiver_failing', facts, nowMs);
      }),
    );
  }
}

interface FailingReceiver {
  id: string;
  url: string;
  failing_since: number;
}

function isAfter({ failing_since, id }: FailingReceiver) {
  return sql<boolean>`(failing_since, id) > (${failing_since}, ${id})`;
}

/** Only where the partner was told of the failure. Reads the failures that are not over, a page at a time. */
export async function noticeRecovered(db: Database, nowMs: number): Promise<void> {
  const pages = readPages<Pick<NoticeRow, 'id' | 'partner_id' | 'facts'>>(AT_ONCE, (last, size) =>
    db
      .selectFrom('notice')
      .select(['id', 'partner_id', 'facts'])
      .where('kind', '=', sql.lit('receiver_failing'))
      .where('over_at', 'is', null)
      .where('id', '>', last?.id ?? '')
      .orderBy('id')
      .limit(size)
      .execute(),
  );
  for await (const page of pages) {
    const open = page.map(({ facts, ...one }) => ({
      ...one,
      facts: JSON.parse(facts) as NoticeFacts['receiver_failing'],
    }));
    const midoffices = [...new Set(open.map(({ facts }) => facts.midoffice_id))];
    const now = await db
      .selectFrom('midoffice')
      .select(['id', 'url', 'failing_since'])
      .where('id', 'in', midoffices)
      .execute();
    const byId = new Map(now.map((one) => [one.id, one]));
    const over = open.filter(
      ({ facts }) => byId.get(facts.midoffice_id)?.failing_since !== facts.failing_since,
    );
    if (over.length === 0) continue;
    await db.transaction().execute(async (change) => {
      await insertNotices(
        change,
        over.map(({ partner_id, facts }) => {
          // It may work again because it is another one.
          const { url } = byId.get(facts.midoffice_id) ?? {};
          const host = url === undefined ? facts.host : hostOf(url);
          return newNotice(partner_id, 'receiver_recovered', { ...facts, host }, nowMs);
        }),
      );
      // One by one, in the same order on every node: otherwise two of them could wait for each other.
      for (const { id } of over) {
        await change.updateTable('notice').set({ over_at: nowMs }).where('id', '=', id).execute();
      }
    });
  }
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
