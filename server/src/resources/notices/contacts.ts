/**
 * Whom a partner wants to be told. An address gets nothing before whoever reads its mails has confirmed it: with a link
 * in the only mail that it gets until then. How often that mail is asked for is bounded, for a partner and for an
 * address, so that nobody can flood a stranger with it.
 */

import type { Static } from 'typebox';
import { LONGEST_MAIL_ADDRESS, MAIL_ADDRESS } from '../../base/config/smtp.ts';
import { tokenIn } from '../../base/random-token.ts';
import { DAY_MS } from '../../gateway/usage-history/counts.ts';
import { type NoticeKind, noticeKinds, noticeRules } from '../../notices/kinds.ts';
import { newMail } from '../../store/mails.ts';
import { portalActor } from '../../store/portal-actor.ts';
import type { ContactRow, Database } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { input, orNull, reply, time, words } from '../forms.ts';
import { findPartner } from '../partners/partner.ts';
import { partners } from '../partners/queries.ts';
import { endLinksMailedTo } from '../portal/links.ts';
import { invalidField, Problem } from '../problem.ts';
import { Type } from '../type.ts';
import {
  confirmationTimes,
  deleteContact,
  insertMail,
  lockRecipient,
  markConfirmed,
  type OfferedContact,
  readContacts,
  readLinkedContact,
  writeContact,
} from './queries.ts';

export const MOST_CONTACTS = 10;
/** Mails that ask for a confirmation, in any 24 hours. */
export const MOST_CONFIRMATIONS = { ofPartner: 20, ofAddress: 3 };

const Email = Type.String({
  maxLength: LONGEST_MAIL_ADDRESS,
  pattern: MAIL_ADDRESS,
  description:
    'A mail address without quotes, comments and letters beyond ASCII. Kept in lower case.',
  examples: [story.email],
});

const Kinds = Type.Array(
  words(noticeKinds, {
    title: 'NoticeKind',
    description: noticeKinds.map((kind) => `\`${kind}\`: ${noticeRules[kind].when}`).join(' '),
  }),
  { maxItems: noticeKinds.length, description: 'The kinds of notices that it gets by mail.' },
);

export const NewContacts = input('NewContacts', {
  contacts: Type.Array(input('NewContact', { email: Email, notices: Kinds }), {
    maxItems: MOST_CONTACTS,
  }),
});

export const Contacts = reply('Contacts', {
  contacts: Type.Array(
    reply('Contact', {
      email: like(story.email),
      notices: Kinds,
      created_at: time,
      confirmed_at: orNull(
        Type.String({
          format: 'date-time',
          description: 'Null until somebody used the link in the mail to this address.',
        }),
      ),
    }),
  ),
  sends_mail: Type.Boolean({
    description: 'False if this server sends no mail: then notices are only shown here.',
  }),
});
export type Contacts = Static<typeof Contacts>;

export const ContactToConfirm = input('ContactToConfirm', { email: Email });

type Environment = Pick<SupportEnvironment, 'store' | 'sendsMail'>;

export async function listContacts(
  { store, sendsMail }: Environment,
  partnerId: string,
): Promise<Contacts> {
  return { contacts: (await readContacts(store.db, partnerId)).map(show), sends_mail: sendsMail };
}

/**
 * The whole list. Addresses that are new are asked to confirm. Those that are missing are removed, and links that were
 * mailed to them end.
 */
export async function putContacts(
  environment: Environment,
  actor: string,
  partnerId: string,
  given: Static<typeof NewContacts>,
): Promise<Contacts> {
  const wanted = new Map(given.contacts.map((one) => [one.email.toLowerCase(), one.notices]));
  if (wanted.size < given.contacts.length) {
    throw invalidField('/contacts', 'must not have an address twice');
  }
  await environment.store.change(actor, async (change) => {
    // Locked, so that two of them at once are one after the other.
    await partners.findToChange(change.db, partnerId);
    const before = await readContacts(change.db, partnerId);
    const known = new Map(before.map((row) => [row.email, row]));
    for (const { email } of before) {
      if (wanted.has(email)) continue;
      await deleteContact(change.db, partnerId, email);
      await endLinksMailedTo(change, { partnerId, email });
    }
    // In their order, in which addresses are locked.
    for (const [email, kinds] of [...wanted].sort(([a], [b]) => (a < b ? -1 : 1))) {
      const created = { partner_id: partnerId, email, created_at: change.now, confirmed_at: null };
      await writeContact(change.db, {
        ...(known.get(email) ?? created),
        notices: JSON.stringify(noticeKinds.filter((kind) => kinds.includes(kind))),
      });
      if (!known.has(email)) await askToConfirm(change, partnerId, email);
    }
    const after = await readContacts(change.db, partnerId);
    const audited = (rows: ContactRow[]) => ({
      contacts: rows.map(show).map(({ email, notices }) => ({ email, notices })),
    });
    if (JSON.stringify(before) === JSON.stringify(after)) return change.unchanged(undefined);
    await change.audit('contacts.update', partnerId, audited(before), audited(after));
  });
  return listContacts(environment, partnerId);
}

/** Once more, for somebody who has lost the mail. */
export async function confirmAgain(
  environment: Environment,
  actor: string,
  partnerId: string,
  { email: given }: Static<typeof ContactToConfirm>,
): Promise<Contacts> {
  const email = given.toLowerCase();
  await environment.store.change(actor, async (change) => {
    await partners.findToChange(change.db, partnerId);
    const contact = (await readContacts(change.db, partnerId)).find((one) => one.email === email);
    if (!contact) throw new Problem('contact_not_found');
    if (contact.confirmed_at !== null) return change.unchanged(undefined);
    await askToConfirm(change, partnerId, email);
    await change.audit('contact.ask_again', partnerId, null, { email });
  });
  return listContacts(environment, partnerId);
}

async function askToConfirm(
  { db, now }: Pick<Change, 'now'> & { db: Database },
  partnerId: string,
  email: string,
): Promise<void> {
  await lockRecipient(db, email);
  const since = now - DAY_MS;
  const bounds = [
    [await confirmationTimes(db, { partner_id: partnerId }, since), MOST_CONFIRMATIONS.ofPartner],
    [await confirmationTimes(db, { recipient: email }, since), MOST_CONFIRMATIONS.ofAddress],
  ] as const;
  for (const [times, most] of bounds) {
    if (times.length < most) continue;
    const retryAfterMs = (times[times.length - most] as number) + DAY_MS - now;
    throw new Problem('too_many_confirmations', undefined, undefined, { retryAfterMs });
  }
  await insertMail(db, newMail({ partner_id: partnerId, recipient: email }, now));
}

/** What the page says before somebody presses its button. Changes nothing: programs open links, too. */
export async function showContactOffer(
  { store, clock }: Pick<SupportEnvironment, 'store' | 'clock'>,
  token: string,
): Promise<OfferedContact> {
  const digest = tokenIn(token)?.digest;
  const contact =
    digest === undefined ? undefined : await readLinkedContact(store.db, digest, clock.now());
  if (!contact) throw new Problem('contact_link_invalid');
  return contact;
}

/** `address` is where the request comes from. Of two at once, one confirms it. */
export async function confirmContact(
  environment: Pick<SupportEnvironment, 'store' | 'clock'>,
  token: string,
  address: string,
): Promise<OfferedContact> {
  const offered = await showContactOffer(environment, token);
  const { partner_id, email } = offered;
  const { store } = environment;
  const actor = portalActor(await findPartner(store.db, partner_id));
  await store.change(actor, async ({ db, now, audit, unchanged }) => {
    await partners.findToChange(db, partner_id);
    if (!(await markConfirmed(db, offered, now))) return unchanged(undefined);
    await audit('contact.confirm', partner_id, null, { email, address });
  });
  return offered;
}

function show({ email, notices, created_at, confirmed_at }: ContactRow): Contacts['contacts'][0] {
  const stored = JSON.parse(notices) as NoticeKind[];
  return {
    email,
    // A kind that this release does not know is not shown.
    notices: noticeKinds.filter((kind) => stored.includes(kind)),
    created_at: new Date(created_at).toISOString(),
    confirmed_at: isoOrNull(confirmed_at),
  };
}
