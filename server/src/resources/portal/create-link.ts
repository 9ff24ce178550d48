/**
 * Makes a link to the portal. One to be copied is in the reply, once. One to be mailed gets its random bits only when the
 * mail is sent (notices/mailer.ts): nothing in the queue opens the portal, and support never sees it.
 */
import type { Static } from 'typebox';
import type { PortalScope } from '../../base/config/portal-scopes.ts';
import { LONGEST_MAIL_ADDRESS } from '../../base/config/smtp.ts';
import { newId } from '../../base/ids.ts';
import { newToken } from '../../base/random-token.ts';
import { newMail } from '../../store/mails.ts';
import type { PortalLinkRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { input, orNull, reply, time } from '../forms.ts';
import { insertMail } from '../notices/queries.ts';
import { partners } from '../partners/queries.ts';
import { invalidField, Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { LONGEST_MAILED_LIFE_SECONDS, needConfirmed, needRoom, showLink } from './links.ts';
import { deleteOldLinks, insertLink, insertLinkToken } from './queries.ts';
import { Scope, writeScopes } from './scopes.ts';

const DEFAULT_LIFE_SECONDS = 900;
const LONGEST_LIFE_SECONDS = 7 * 86_400;
/** For support itself, who opens it at once. */
const PREVIEW_LIFE_SECONDS = 300;
const LONGEST_RETURN_URL = 2_000;
/** How long links are listed after they have expired. */
const LISTED_MS = 30 * 86_400_000;

export const NewPortalLink = input('NewPortalLink', {
  scopes: Type.Array(Scope, { minItems: 1, maxItems: 20 }),
  expires_in_seconds: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: LONGEST_LIFE_SECONDS,
      description: `How long the link can be used; ${DEFAULT_LIFE_SECONDS} if not given. The session that it opens lasts 12 hours from then.`,
    }),
  ),
  return_url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_RETURN_URL,
      format: 'uri',
      description: 'Where the portal leads people back to, such as your own pages for partners.',
    }),
  ),
  recipient: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: LONGEST_MAIL_ADDRESS,
      description: `A confirmed contact of the partner, to whom the link is mailed. Then nobody else learns its address, and it lasts at most ${LONGEST_MAILED_LIFE_SECONDS} seconds.`,
    }),
  ),
});

const LINK_URL = `https://portal.example/enter/sandbox/${story.token.slice(3)}`;

export const PortalLinkWithUrl = reply('PortalLinkWithUrl', {
  id: like(story.portalLinkId),
  url: like(LINK_URL, 'Shown only this once. Whoever has it can use it, once.'),
  expires_at: time,
});

export const CreatedPortalLink = reply('CreatedPortalLink', {
  ...PortalLinkWithUrl.properties,
  url: orNull(
    like(LINK_URL, 'Shown only this once; null if it is mailed. Whoever has it can use it, once.'),
  ),
  mailed_to: Type.Optional(
    Type.String({ description: 'The contact who gets it; only of a link that is mailed.' }),
  ),
});

export async function createLink(
  environment: SupportEnvironment,
  actor: string,
  partnerId: string,
  given: Static<typeof NewPortalLink>,
): Promise<Static<typeof CreatedPortalLink>> {
  const { scopes, expires_in_seconds: seconds = DEFAULT_LIFE_SECONDS, recipient } = given;
  const returnUrl = given.return_url === undefined ? null : readReturnUrl(given.return_url);
  const what = { scopes, seconds, returnUrl, isPreview: false };
  if (recipient !== undefined) return mail(environment, actor, partnerId, what, recipient);
  return create(environment, actor, partnerId, what);
}

/** Shows the portal to support as the partner sees it. */
export async function createPreview(
  environment: SupportEnvironment,
  actor: string,
  partnerId: string,
): Promise<Static<typeof PortalLinkWithUrl>> {
  const seconds = PREVIEW_LIFE_SECONDS;
  const what = { scopes: ['read'] as const, seconds, returnUrl: null, isPreview: true };
  return create(environment, actor, partnerId, what);
}

interface Wanted {
  scopes: readonly PortalScope[];
  seconds: number;
  returnUrl: string | null;
  isPreview: boolean;
}

async function create(
  environment: SupportEnvironment,
  actor: string,
  partnerId: string,
  what: Wanted,
): Promise<Static<typeof PortalLinkWithUrl>> {
  const { name, store, portalUrl } = environment;
  needPortal(environment);
  const { token, digest } = newToken();
  return store.change(actor, async (change) => {
    const { audited, ...link } = await insert(change, actor, partnerId, what);
    await insertLinkToken(change.db, { digest, link_id: link.id });
    await change.audit('portal_link.create', partnerId, null, audited);
    return { ...link, url: `${portalUrl()}/enter/${name}/${token}` };
  });
}

/** Link and mail are stored together. */
async function mail(
  environment: SupportEnvironment,
  actor: string,
  partnerId: string,
  what: Wanted,
  recipient: string,
): Promise<Static<typeof CreatedPortalLink>> {
  const { store, sendsMail } = environment;
  needPortal(environment);
  if (!sendsMail) throw new Problem('mail_not_sent');
  if (what.seconds > LONGEST_MAILED_LIFE_SECONDS) {
    const most = `must not be more than ${LONGEST_MAILED_LIFE_SECONDS} for a link that is mailed`;
    throw invalidField('/expires_in_seconds', most);
  }
  const mailed_to = recipient.toLowerCase();
  return store.change(actor, async (change) => {
    const { db, now, audit } = change;
    const { audited, ...link } = await insert(change, actor, partnerId, what);
    await needConfirmed(db, partnerId, mailed_to);
    await needRoom(db, mailed_to, now);
    const about = { partner_id: partnerId, portal_link_id: link.id, recipient: mailed_to };
    await insertMail(db, newMail(about, now));
    await audit('portal_link.create', partnerId, null, { ...audited, mailed_to });
    return { ...link, url: null, mailed_to };
  });
}

/** A link that leads nowhere would be noticed by the partner first. */
function needPortal({ hasPortal }: SupportEnvironment): void {
  if (!hasPortal) throw new Problem('portal_not_served');
}

/** `audited` is what the audit has of it. */
async function insert(
  { db, now }: Pick<Change, 'db' | 'now'>,
  actor: string,
  partnerId: string,
  what: Wanted,
) {
  const partner = await partners.findToChange(db, partnerId);
  if (partner.suspended) throw new Problem('partner_suspended');
  await deleteOldLinks(db, now - LISTED_MS);
  const row: PortalLinkRow = {
    id: newId('pln', now),
    partner_id: partnerId,
    scopes: writeScopes(what.scopes),
    is_preview: Number(what.isPreview),
    return_url: what.returnUrl,
    created_by: actor,
    created_at: now,
    expires_at: now + what.seconds * 1_000,
    used_at: null,
    ended_at: null,
  };
  await insertLink(db, row);
  const { state, used_at, withdrawn_at, ...audited } = showLink(row, now);
  return { id: row.id, expires_at: audited.expires_at, audited };
}

/** Pages show it as a link, so it must not be a script. */
function readReturnUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw invalidField('/return_url', 'must be an address that begins with https:// or http://');
}
