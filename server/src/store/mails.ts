/** The queue of mails, on either engine. */

import { newId } from '../base/ids.ts';
import { DAY_MS } from '../gateway/usage-history/counts.ts';
import type { NoticeKind } from '../notices/kinds.ts';
import type { DueMail, MailQueue } from '../notices/mail-queue.ts';
import { isPostgres } from './engine.ts';
import type { Database, MailRow } from './schema.ts';

/** Notices turned into mails in one transaction. */
const NOTICES_AT_ONCE = 100;
/** Older ones are not mailed: mail was switched on only after them. */
const NOTICE_IS_NEW_MS = DAY_MS;
/** For a gauge; nobody needs to know how many more there are. */
const MOST_COUNTED = 10_000;

export function newMail(
  what: Pick<MailRow, 'partner_id' | 'recipient'> &
    Partial<Pick<MailRow, 'notice_id' | 'portal_link_id'>>,
  nowMs: number,
): MailRow {
  const id = newId('mai', nowMs);
  return {
    notice_id: null,
    portal_link_id: null,
    ...what,
    id,
    created_at: nowMs,
    due_at: nowMs,
    tries: 0,
    sent_at: null,
    last_error: null,
    recipient_refused: 0,
  };
}

export function mailQueueOn(db: Database): MailQueue {
  /** Nobody has taken it meanwhile. */
  const held = ({ id, due_at }: DueMail) =>
    db.updateTable('mail').where('id', '=', id).where('due_at', '=', due_at);
  return {
    async queueNotices(nowMs) {
      let queued: number;
      do queued = await db.transaction().execute((change) => queueSome(change, nowMs));
      while (queued === NOTICES_AT_ONCE);
    },

    async due(nowMs, limit) {
      const awaited = await readDue(db, { isNotice: false, nowMs, limit });
      const room = limit - awaited.length;
      if (room === 0) return awaited;
      return [...awaited, ...(await readDue(db, { isNotice: true, nowMs, limit: room }))];
    },

    async hold(mail, untilMs) {
      const { numUpdatedRows } = await held(mail)
        .set((column) => ({ due_at: untilMs, tries: column('tries', '+', 1) }))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      mail.due_at = untilMs;
      mail.tries++;
      return true;
    },

    async addPortalToken(linkId, digest) {
      const open = db
        .selectFrom('portal_link')
        .innerJoin('partner', 'partner.id', 'portal_link.partner_id')
        .select((select) => [select.val(digest).as('digest'), 'portal_link.id'])
        .where('portal_link.id', '=', linkId)
        .where('used_at', 'is', null)
        .where('ended_at', 'is', null)
        .where('partner.suspended', '=', 0);
      const { numInsertedOrUpdatedRows } = await db
        .insertInto('portal_link_token')
        .columns(['digest', 'link_id'])
        .expression(open)
        .executeTakeFirst();
      return numInsertedOrUpdatedRows !== 0n;
    },

    async addLink({ partner_id, recipient: email }, link) {
      await db
        .insertInto('contact_link')
        .values({ ...link, partner_id, email })
        .execute();
    },

    async sent(mail, nowMs) {
      await held(mail).set({ due_at: null, sent_at: nowMs, last_error: null }).execute();
    },

    async failed(mail, nextMs, error, isRecipientRefused) {
      const recipient_refused = isRecipientRefused ? 1 : 0;
      await held(mail).set({ due_at: nextMs, last_error: error, recipient_refused }).execute();
    },

    async waiting() {
      const first = db
        .selectFrom('mail')
        .select(['created_at', 'recipient_refused'])
        .where('due_at', 'is not', null)
        .limit(MOST_COUNTED);
      const { count, oldest } = await db
        .selectFrom(first.as('waiting'))
        .select((select) => [
          select.fn.countAll<number>().as('count'),
          select.fn.min('created_at').filterWhere('recipient_refused', '=', 0).as('oldest'),
        ])
        .executeTakeFirstOrThrow();
      return { count: Number(count), oldestAtMs: oldest === null ? null : Number(oldest) };
    },
  };
}

/**
 * Notices, or mails with a link. Both are found in the order of `mail_due`, links by an index of their own; notices are
 * only read when fewer links than a page are due, so few are skipped.
 */
async function readDue(
  db: Database,
  { isNotice, nowMs, limit }: { isNotice: boolean; nowMs: number; limit: number },
): Promise<DueMail[]> {
  const rows = await db
    .selectFrom('mail')
    .innerJoin('partner', 'partner.id', 'mail.partner_id')
    .leftJoin('notice', 'notice.id', 'mail.notice_id')
    .leftJoin('portal_link', 'portal_link.id', 'mail.portal_link_id')
    .select(['mail.id', 'mail.partner_id', 'partner.name as partner_name', 'recipient'])
    .select(['mail.created_at', 'due_at', 'tries', 'portal_link_id', 'portal_link.expires_at'])
    .select(['notice.kind', 'notice.facts', 'notice.at'])
    .where('due_at', '<=', nowMs)
    .where('notice_id', isNotice ? 'is not' : 'is', null)
    .orderBy('due_at')
    .orderBy('mail.id')
    .limit(limit)
    .$narrowType<{ due_at: number }>()
    .execute();
  return rows.map(({ kind, facts, at, portal_link_id, expires_at, ...mail }) => ({
    ...mail,
    notice: kind === null || facts === null || at === null ? null : { kind, facts, at },
    portal_link:
      portal_link_id === null ? null : { id: portal_link_id, expires_at: Number(expires_at) },
  }));
}

/** Returns how many notices it has looked at. */
async function queueSome(db: Database, nowMs: number): Promise<number> {
  const unqueued = db
    .selectFrom('notice')
    .select(['id', 'partner_id', 'kind'])
    .where('queued_at', 'is', null)
    .where('at', '>', nowMs - NOTICE_IS_NEW_MS)
    .orderBy('at')
    .limit(NOTICES_AT_ONCE);
  // Several nodes share the work.
  const notices = await (isPostgres(db) ? unqueued.forUpdate().skipLocked() : unqueued).execute();
  if (notices.length === 0) return 0;
  const contacts = await db
    .selectFrom('contact')
    .select(['partner_id', 'email', 'notices'])
    .where('partner_id', 'in', [...new Set(notices.map(({ partner_id }) => partner_id))])
    .where('confirmed_at', 'is not', null)
    .execute();
  const mails = notices.flatMap(({ id: notice_id, partner_id, kind }) =>
    contacts
      .filter((one) => one.partner_id === partner_id && wants(one.notices, kind))
      .map(({ email: recipient }) => newMail({ partner_id, notice_id, recipient }, nowMs)),
  );
  if (mails.length > 0) await db.insertInto('mail').values(mails).execute();
  await db
    .updateTable('notice')
    .set({ queued_at: nowMs })
    .where(
      'id',
      'in',
      notices.map(({ id }) => id),
    )
    .execute();
  return notices.length;
}

function wants(stored: string, kind: NoticeKind): boolean {
  return (JSON.parse(stored) as string[]).includes(kind);
}
