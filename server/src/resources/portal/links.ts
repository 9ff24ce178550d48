/**
 * Links with which somebody at a partner signs in to the portal. A link has 256 random bits and works once; only its
 * digest is stored. Nobody can give more with it than what support may do: all scopes are things that the role
 * `support` may do, and only that role and `admin` make links.
 */
import type { Static } from 'typebox';
import { tokenIn } from '../../base/random-token.ts';
import { HOUR_MS } from '../../gateway/usage-history/counts.ts';
import type { Database, PortalLinkRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { NoticeMail, showMail } from '../notices/notices.ts';
import { lockRecipient, mailedLinkTimes, mailsOf, readContacts } from '../notices/queries.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { findPartner } from '../partners/partner.ts';
import { invalidField, Problem } from '../problem.ts';
import { Type } from '../type.ts';
import {
  linkToChange,
  newestLinks,
  openLinksMailedTo,
  openPreviewsBy,
  readOpenLink,
  withdrawLink,
} from './queries.ts';
import { readScopes, Scopes } from './scopes.ts';

/** Links mailed to one address, in any hour. */
export const MOST_MAILED_LINKS = 10;
/** How long a mailed link can be used: mailboxes are kept, forwarded and read by others. */
export const LONGEST_MAILED_LIFE_SECONDS = 86_400;

export const Portal = reply('Portal', {
  url: orNull(
    like(
      'https://portal.example',
      'Where partners find the portal; null if this process does not serve it and `BELLHOP_PORTAL_URL` is not set.',
    ),
  ),
});

const linkStates = ['open', 'used', 'expired', 'withdrawn'] as const;

export const PortalLink = reply('PortalLink', {
  id: like(story.portalLinkId),
  state: words(linkStates, { title: 'PortalLinkState' }),
  scopes: Scopes,
  is_preview: Type.Boolean({
    description: 'Opens a read-only session for support itself, to see what the partner sees.',
  }),
  return_url: orNull(Type.String()),
  created_by: like(story.actor),
  created_at: time,
  expires_at: time,
  used_at: orNull(time),
  withdrawn_at: orNull(time),
  mail: orNull(NoticeMail),
});
type ShownLink = Omit<Static<typeof PortalLink>, 'mail'>;

export async function listLinks(
  { store, clock }: SupportEnvironment,
  partnerId: string,
  request: PageRequest,
): Promise<Page<Static<typeof PortalLink>>> {
  await findPartner(store.db, partnerId);
  const page = await pageOf(request, {
    read: (slice) => newestLinks(store.db, slice, partnerId),
    positionOf: (row) => [row.created_at, row.id],
    show: (row) => showLink(row, clock.now()),
  });
  const ids = page.items.map(({ id }) => id);
  const mails = await mailsOf(store.db, 'portal_link_id', ids);
  const mailOf = (linkId: string) => {
    const row = mails.find(({ portal_link_id }) => portal_link_id === linkId);
    return row ? showMail(row) : null;
  };
  return { ...page, items: page.items.map((link) => ({ ...link, mail: mailOf(link.id) })) };
}

/** Withdrawing it again changes nothing. */
export async function endLink(
  { store }: SupportEnvironment,
  actor: string,
  partnerId: string,
  id: string,
): Promise<void> {
  await store.change(actor, async ({ db, now, audit, unchanged }) => {
    await findPartner(db, partnerId);
    const before = await linkToChange(db, partnerId, id);
    if (!before) throw new Problem('portal_link_not_found');
    if (before.used_at !== null) throw new Problem('portal_link_used');
    if (before.ended_at !== null) return unchanged(undefined);
    await withdraw({ db, now, audit }, before);
  });
}

/** Part of the removal of a contact: whoever reads its mails should not come in any more. */
export async function endLinksMailedTo(
  change: LinkChange,
  contact: { partnerId: string; email: string },
): Promise<void> {
  const { db, now: nowMs } = change;
  const sinceMs = nowMs - LONGEST_MAILED_LIFE_SECONDS * 1_000;
  const links = await openLinksMailedTo(db, contact, { sinceMs, nowMs });
  for (const link of links) await withdraw(change, link);
}

/** Part of ending previews. Returns how many nobody can use any more. */
export async function endPreviewLinks(change: LinkChange, who: string): Promise<number> {
  const links = await openPreviewsBy(change.db, who, change.now);
  for (const link of links) await withdraw(change, link);
  return links.length;
}

type LinkChange = Pick<Change, 'db' | 'now' | 'audit'>;

async function withdraw({ db, now, audit }: LinkChange, before: PortalLinkRow): Promise<void> {
  await withdrawLink(db, before.id, now);
  const after = showLink({ ...before, ended_at: now }, now);
  await audit('portal_link.withdraw', before.partner_id, showLink(before, now), after);
}

interface OfferedLink {
  partnerName: string;
  isPreview: boolean;
}

/** What the page says that people see before they use the link. Changes nothing: programs open links, too. */
export async function showOffer(
  { store, clock }: Pick<SupportEnvironment, 'store' | 'clock'>,
  token: string,
): Promise<OfferedLink> {
  const digest = digestOfLink(token);
  const found = await readOpenLink(store.db, digest, clock.now());
  if (!found) throw new Problem('portal_link_invalid');
  return { partnerName: found.partner_name, isPreview: found.is_preview === 1 };
}

/** Anything else than a token of ours is no link. */
export function digestOfLink(token: string): string {
  const digest = tokenIn(token)?.digest;
  if (digest === undefined) throw new Problem('portal_link_invalid');
  return digest;
}

export function showLink(row: PortalLinkRow, nowMs: number): ShownLink {
  return {
    id: row.id,
    state: stateOf(row, nowMs),
    scopes: readScopes(row.scopes),
    is_preview: row.is_preview === 1,
    return_url: row.return_url,
    created_by: row.created_by,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: new Date(row.expires_at).toISOString(),
    used_at: isoOrNull(row.used_at),
    withdrawn_at: isoOrNull(row.ended_at),
  };
}

function stateOf(row: PortalLinkRow, nowMs: number): (typeof linkStates)[number] {
  if (row.used_at !== null) return 'used';
  if (row.ended_at !== null) return 'withdrawn';
  return row.expires_at > nowMs ? 'open' : 'expired';
}

/** A link is mailed to nobody else: anyone else could be anybody. */
export async function needConfirmed(db: Database, partnerId: string, email: string): Promise<void> {
  const contacts = await readContacts(db, partnerId);
  const isConfirmed = contacts.some((one) => one.email === email && one.confirmed_at !== null);
  if (!isConfirmed) throw invalidField('/recipient', 'must be a confirmed contact of the partner');
}

export async function needRoom(db: Database, email: string, nowMs: number): Promise<void> {
  await lockRecipient(db, email);
  const times = await mailedLinkTimes(db, email, nowMs - HOUR_MS);
  if (times.length < MOST_MAILED_LINKS) return;
  const retryAfterMs = (times[times.length - MOST_MAILED_LINKS] as number) + HOUR_MS - nowMs;
  throw new Problem('too_many_mailed_links', undefined, undefined, { retryAfterMs });
}
