/**
 * Links with which somebody at a partner signs in to the portal. A link has 256 random bits and works once; only its
 * digest is stored. Nobody can give more with it than what support may do: all scopes are things that the role
 * `support` may do, and only that role and `admin` make links.
 */
import Type, { type Static } from 'typebox';
import type { PortalScope } from '../../config/portal-scopes.ts';
import { newId } from '../../ids.ts';
import { digestIfToken, newToken } from '../../random-token.ts';
import type { PortalLinkRow } from '../../store/schema.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { input, orNull, reply, time, words } from '../forms.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { findPartner } from '../partners/partner.ts';
import { partners } from '../partners/queries.ts';
import { invalidField, Problem } from '../problem.ts';
import {
  deleteOldLinks,
  insertLink,
  linkToChange,
  newestLinks,
  readOpenLink,
  withdrawLink,
} from './queries.ts';
import { readScopes, Scope, Scopes, writeScopes } from './scopes.ts';

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
});

export const Portal = reply('Portal', {
  url: orNull(
    Type.String({
      description:
        'Where partners find the portal; null if this process does not serve it and `BELLHOP_PORTAL_URL` is not set.',
    }),
  ),
});

export const PortalLinkWithUrl = reply('PortalLinkWithUrl', {
  id: Type.String(),
  url: Type.String({ description: 'Shown only this once. Whoever has it can use it, once.' }),
  expires_at: time,
});

const linkStates = ['open', 'used', 'expired', 'withdrawn'] as const;

export const PortalLink = reply('PortalLink', {
  id: Type.String(),
  state: words(linkStates, { title: 'PortalLinkState' }),
  scopes: Scopes,
  is_preview: Type.Boolean({
    description: 'Opens a read-only session for support itself, to see what the partner sees.',
  }),
  return_url: orNull(Type.String()),
  created_by: Type.String(),
  created_at: time,
  expires_at: time,
  used_at: orNull(time),
  withdrawn_at: orNull(time),
});

export async function createLink(
  environment: SupportEnvironment,
  actor: string,
  partnerId: string,
  given: Static<typeof NewPortalLink>,
): Promise<Static<typeof PortalLinkWithUrl>> {
  const { scopes, expires_in_seconds: seconds = DEFAULT_LIFE_SECONDS } = given;
  const returnUrl = given.return_url === undefined ? null : readReturnUrl(given.return_url);
  return create(environment, actor, partnerId, { scopes, seconds, returnUrl, isPreview: false });
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

async function create(
  { name, store, hasPortal, portalUrl }: SupportEnvironment,
  actor: string,
  partnerId: string,
  what: {
    scopes: readonly PortalScope[];
    seconds: number;
    returnUrl: string | null;
    isPreview: boolean;
  },
): Promise<Static<typeof PortalLinkWithUrl>> {
  // A link that leads nowhere would be noticed by the partner first.
  if (!hasPortal) throw new Problem('portal_not_served');
  const { token, digest } = newToken();
  return store.change(actor, async ({ db, now, audit }) => {
    const partner = await partners.findToChange(db, partnerId);
    if (partner.suspended) throw new Problem('partner_suspended');
    await deleteOldLinks(db, now - LISTED_MS);
    const row: PortalLinkRow = {
      id: newId('pln', now),
      digest,
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
    const { state, used_at, withdrawn_at, ...shown } = showLink(row, now);
    await audit('portal_link.create', partnerId, null, shown);
    const url = `${portalUrl()}/enter/${name}/${token}`;
    return { id: row.id, url, expires_at: shown.expires_at };
  });
}

/** Pages show it as a link, so it must not be a script. */
function readReturnUrl(text: string): string {
  const url = URL.parse(text);
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url.href;
  throw invalidField('/return_url', 'must be an address that begins with https:// or http://');
}

export async function listLinks(
  { store, clock }: SupportEnvironment,
  partnerId: string,
  request: PageRequest,
): Promise<Page<Static<typeof PortalLink>>> {
  await findPartner(store.db, partnerId);
  return pageOf(request, {
    read: (slice) => newestLinks(store.db, slice, partnerId),
    positionOf: (row) => [row.created_at, row.id],
    show: (row) => showLink(row, clock.now()),
  });
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
    await withdrawLink(db, id, now);
    const after = showLink({ ...before, ended_at: now }, now);
    await audit('portal_link.withdraw', partnerId, showLink(before, now), after);
  });
}

export interface OfferedLink {
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
  const digest = digestIfToken(token);
  if (digest === undefined) throw new Problem('portal_link_invalid');
  return digest;
}

function showLink(row: PortalLinkRow, nowMs: number): Static<typeof PortalLink> {
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
