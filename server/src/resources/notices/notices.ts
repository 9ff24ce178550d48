/** Notices as partners see them, and as support does, with what became of their mails. */
import type { Static } from 'typebox';
import { inWords, noticeKinds } from '../../notices/kinds.ts';
import type { MailRow, NoticeRow } from '../../store/schema.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { filter, orNull, pageQuery, query, reply, time, words } from '../forms.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { Type } from '../type.ts';
import { findNotices, MAILS_SEARCHED, unsentStates } from './list-queries.ts';
import { mailsOf } from './queries.ts';

const Kind = words(noticeKinds, { title: 'NoticeKind' });

const facts = JSON.stringify({ key_id: story.keyId, by: 'support' });
const example = inWords({ kind: 'key_rotated', facts });

const shown = {
  id: Type.String(),
  at: time,
  kind: Kind,
  subject: like(example.subject),
  text: like(example.text),
};

export const OwnNotice = reply('OwnNotice', {
  ...shown,
  page: Type.String({ description: 'The page of the portal that helps, after the environment.' }),
});

const mailStates = ['waiting', 'sent', 'given_up'] as const;

export const NoticeMail = reply('NoticeMail', {
  recipient: Type.String(),
  state: words(mailStates, { title: 'MailState' }),
  tries: Type.Integer(),
  sent_at: orNull(time),
  error: like(null, orNull(Type.String({ description: 'Why the last try failed.' }))),
});

export const Notice = reply('Notice', {
  ...shown,
  partner_id: like(story.partnerId),
  partner_name: like(story.partner),
  mails: Type.Array(NoticeMail, {
    description: 'To the contacts that wanted it; empty if there were none.',
  }),
});

export const noticesQuery = query({
  ...pageQuery,
  partner_id: filter('Those of one partner.'),
  kind: Type.Optional(Kind),
  mail: Type.Optional(
    words(unsentStates, {
      title: 'UnsentMailState',
      description: `Those with a mail that waits to be sent, or was given up. Together with \`partner_id\` or \`kind\`, they are looked for among the newest ${MAILS_SEARCHED.toLocaleString('en')} such mails, or the newest ${MAILS_SEARCHED.toLocaleString('en')} mails of the partner.`,
    }),
  ),
});

export async function listOwnNotices(
  { store }: Pick<SupportEnvironment, 'store'>,
  partnerId: string,
  request: PageRequest,
): Promise<Page<Static<typeof OwnNotice>>> {
  return pageOf(request, {
    read: (slice) => findNotices(store.db, slice, { partnerId }),
    positionOf: (row) => [row.at, row.id],
    show: (row) => ({ ...show(row), page: inWords(row).page }),
  });
}

export async function listNotices(
  { store: { db } }: SupportEnvironment,
  asked: Static<typeof noticesQuery>,
): Promise<Page<Static<typeof Notice>>> {
  const { partner_id: partnerId, kind, mail } = asked;
  const page = await pageOf(asked, {
    read: (slice) => findNotices(db, slice, { partnerId, kind, mail }),
    positionOf: (row) => [row.at, row.id],
    show: (row) => row,
  });
  const mails = await mailsOf(
    db,
    'notice_id',
    page.items.map(({ id }) => id),
  );
  return {
    ...page,
    items: page.items.map((row) => ({
      ...show(row),
      partner_id: row.partner_id,
      partner_name: row.partner_name,
      mails: mails.filter(({ notice_id }) => notice_id === row.id).map(showMail),
    })),
  };
}

function show(row: NoticeRow) {
  const { subject, text } = inWords(row);
  return { id: row.id, at: new Date(row.at).toISOString(), kind: row.kind, subject, text };
}

export function showMail({ recipient, due_at, tries, sent_at, last_error }: MailRow) {
  const over = sent_at === null ? ('given_up' as const) : ('sent' as const);
  return {
    recipient,
    state: due_at === null ? over : ('waiting' as const),
    tries,
    sent_at: sent_at === null ? null : new Date(sent_at).toISOString(),
    error: last_error,
  };
}
