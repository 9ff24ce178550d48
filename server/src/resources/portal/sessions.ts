/**
 * Sessions of the portal. A session belongs to one partner. It is read from the database at every
 * request, so wherever it is ended, it is ended on every node. Its id has 256 random bits; only the digest is stored.
 */
import type { Static } from 'typebox';
import type { PortalScope } from '../../base/config/portal-scopes.ts';
import { newId } from '../../base/ids.ts';
import { newToken, tokenIn } from '../../base/random-token.ts';
import { allowListFrom } from '../../gateway/keyring.ts';
import { newNotice } from '../../notices/kinds.ts';
import { insertNotices } from '../../store/notices.ts';
import { portalActor } from '../../store/portal-actor.ts';
import type { ApiKeyRow, Database, PartnerRow, PortalSessionRow } from '../../store/schema.ts';
import type { Change } from '../../store/store.ts';
import type { SupportEnvironment } from '../environment.ts';
import { exampleId, like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { apiKeysInForce } from '../keys/api-keys.ts';
import { keys } from '../keys/queries.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { findPartner } from '../partners/partner.ts';
import { partners } from '../partners/queries.ts';
import { Problem } from '../problem.ts';
import { Type } from '../type.ts';
import { digestOfLink } from './links.ts';
import { takeTurn } from './pace.ts';
import {
  deleteOldSessions,
  deleteSessions,
  insertSession,
  newestSessions,
  type OpenSession,
  readOpenLink,
  readSession,
  shortenSessions,
  useLink,
} from './queries.ts';
import { readScopes, Scopes, writeScopes } from './scopes.ts';

export const PORTAL_SESSION_MS = 12 * 3_600_000;
/** Of support that looks. Short, because whoever opened it may lose their access meanwhile: it expires, or is taken away. */
export const PREVIEW_SESSION_MS = 3_600_000;
/** Beyond this, a partner's oldest session ends. */
const MOST_SESSIONS = 100;

export const CameBy = words(['link', 'key', 'support'], {
  title: 'PortalSessionOrigin',
  description:
    'How the session came about: by a link from support, by a key, or by support that looks as the partner sees it.',
});

export const PortalSession = reply('PortalSession', {
  id: like(exampleId('pse', 'b8')),
  came_by: CameBy,
  link_id: orNull(Type.String()),
  key_id: orNull(
    like(
      story.keyId,
      'The key that signed in; the session ends with it, and with the API key given.',
    ),
  ),
  opened_by: like(story.actor),
  scopes: Scopes,
  address: like(story.caller, 'From where it was opened.'),
  created_at: time,
  expires_at: time,
});

/** The secret of the cookie, and the session. */
export interface NewSession {
  id: string;
  session: OpenSession;
}

type Environment = Pick<SupportEnvironment, 'store' | 'clock'>;

interface GivenKey {
  keyId: string;
  apiKey: string;
  partnerId: string;
}

/**
 * Exchanges a link for a session, in one transaction: of requests at the same moment, one gets the session. If the
 * process is killed, the link was either used and the session is there, or nothing has happened.
 */
export async function exchangeLink(
  { store, clock }: Environment,
  token: string,
  address: string,
): Promise<NewSession> {
  const digest = digestOfLink(token);
  const link = await readOpenLink(store.db, digest, clock.now());
  if (!link) throw new Problem('portal_link_invalid');
  const ofPartner = { id: link.partner_id, name: link.partner_name };
  const openedBy = link.is_preview ? link.created_by : portalActor(ofPartner);
  return store.change(openedBy, async (change) => {
    const partner = await partners.findToChange(change.db, link.partner_id);
    const isUsed = !partner.suspended && (await useLink(change.db, link.id, change.now));
    if (!isUsed) throw new Problem('portal_link_invalid');
    return open(change, partner, {
      scopes: readScopes(link.scopes),
      came_by: link.is_preview ? 'support' : 'link',
      link_id: link.id,
      key_id: null,
      key_fingerprint: null,
      opened_by: openedBy,
      return_url: link.return_url,
      address,
    });
  });
}

/** For a key that has just signed in. */
export async function openSessionOfKey(
  { store, vault }: Pick<SupportEnvironment, 'store' | 'vault'>,
  { keyId, apiKey, partnerId }: GivenKey,
  { scopes, address }: { scopes: readonly PortalScope[]; address: string },
): Promise<NewSession> {
  const actor = portalActor(await findPartner(store.db, partnerId));
  return store.change(actor, async (change) => {
    // A revocation or rotation waits, and then finds this session to end.
    const partner = await partners.findToChange(change.db, partnerId);
    const key = await keys.findToChange(change.db, keyId);
    const digests = vault.digests(keyId, apiKey);
    const given = apiKeysInForce(key, change.now).find(({ digest }) => digests.includes(digest));
    if (!given) throw new Problem('incorrect_credentials');
    if (key.disabled || partner.suspended) throw new Problem('api_access_disabled');
    await takeTurn(change, partnerId, 'sign_in');
    const row = {
      scopes,
      came_by: 'key' as const,
      link_id: null,
      key_id: keyId,
      key_fingerprint: given.fingerprint,
      opened_by: actor,
      return_url: null,
      address,
    };
    return open(change, partner, row, given.untilMs ?? undefined);
  });
}

async function open(
  { db, now, audit }: Change,
  partner: PartnerRow,
  {
    scopes,
    ...how
  }: Omit<
    PortalSessionRow,
    'id' | 'digest' | 'partner_id' | 'scopes' | 'created_at' | 'expires_at'
  > & {
    scopes: readonly PortalScope[];
  },
  untilMs = Number.POSITIVE_INFINITY,
): Promise<NewSession> {
  const lastsMs = how.came_by === 'support' ? PREVIEW_SESSION_MS : PORTAL_SESSION_MS;
  await deleteOldSessions(db, partner.id, { keep: MOST_SESSIONS - 1, endedMs: now });
  const { token, digest } = newToken();
  const row: PortalSessionRow = {
    ...how,
    id: newId('pse', now),
    digest,
    partner_id: partner.id,
    scopes: writeScopes(scopes),
    created_at: now,
    expires_at: Math.min(now + lastsMs, untilMs),
  };
  await insertSession(db, row);
  await audit('portal_session.open', partner.id, null, showSession(row));
  if (row.came_by === 'link') {
    const facts = { session_id: row.id, address: row.address };
    await insertNotices(db, [newNotice(partner.id, 'signed_in_by_link', facts, now)]);
  }
  return { id: token, session: { ...row, partner_name: partner.name, key_allow_list: null } };
}

/** Undefined if there is no such session, if it has ended, or if its key does not allow the address that asks. */
export async function findSession(
  { store, clock }: Environment,
  id: string | undefined,
  address: string,
): Promise<OpenSession | undefined> {
  const digest = tokenIn(id)?.digest;
  return digest === undefined ? undefined : openTo(address, store.db, digest, clock.now());
}

async function openTo(
  address: string,
  ...session: Parameters<typeof readSession>
): Promise<OpenSession | undefined> {
  const found = await readSession(...session);
  return found && allowListFrom(found.key_allow_list)(address) ? found : undefined;
}

/**
 * Throws if the session has ended. For a change that takes long, in its transaction: the request was let in when it began.
 * Call it once the partner is locked, so that neither a suspension nor the end of the session comes between this and the commit.
 */
export async function checkStillOpen(
  { clock }: Pick<Environment, 'clock'>,
  db: Database,
  { digest, key_id: keyId }: OpenSession,
  address: string,
): Promise<void> {
  // A revocation waits as well.
  if (keyId !== null) await keys.findToChange(db, keyId);
  if (!(await openTo(address, db, digest, clock.now()))) throw new Problem('unauthenticated');
}

export async function listSessions(
  { store, clock }: SupportEnvironment,
  partnerId: string,
  request: PageRequest,
): Promise<Page<Static<typeof PortalSession>>> {
  await findPartner(store.db, partnerId);
  return pageOf(request, {
    read: (slice) => newestSessions(store.db, slice, partnerId, clock.now()),
    positionOf: (row) => [row.created_at, row.id],
    show: showSession,
  });
}

/** All of the partner. Without any, nothing changes. */
export async function endSessions(
  { store }: SupportEnvironment,
  actor: string,
  partnerId: string,
): Promise<void> {
  await store.change(actor, async (change) => {
    // A change that is being made through one of them is made first, or not at all.
    await partners.findToChange(change.db, partnerId);
    const ended = await endSessionsOf(change, { partnerId });
    if (ended === 0) return change.unchanged(undefined);
  });
}

/** Signing out, or support ends one. */
export async function endSession(
  { store }: Environment,
  actor: string,
  partnerId: string,
  id: string,
): Promise<void> {
  await store.change(actor, async (change) => {
    await partners.findToChange(change.db, partnerId);
    const ended = await endSessionsOf(change, { partnerId, id });
    if (ended === 0) throw new Problem('portal_session_not_found');
  });
}

/** Part of another change: of a suspension, or of the revocation of a key. Each session that was open has its audit row. */
export async function endSessionsOf(
  { db, now, audit }: Pick<Change, 'db' | 'now' | 'audit'>,
  which: Parameters<typeof deleteSessions>[1],
): Promise<number> {
  const ended = (await deleteSessions(db, which)).filter((row) => row.expires_at > now);
  for (const row of ended) {
    await audit('portal_session.end', row.partner_id, showSession(row), null);
  }
  return ended.length;
}

/** Part of a rotation: no session lasts longer than the API key that signed in. */
export async function endSessionsWithApiKeys(change: Change, key: ApiKeyRow): Promise<void> {
  const { key_id: keyId } = key;
  const inForce = apiKeysInForce(key, change.now);
  await endSessionsOf(change, {
    keyId,
    exceptFingerprints: inForce.map(({ fingerprint }) => fingerprint),
  });
  for (const { fingerprint, untilMs } of inForce) {
    if (untilMs !== null) await shortenSessions(change.db, { keyId, fingerprint }, untilMs);
  }
}

function showSession(row: PortalSessionRow): Static<typeof PortalSession> {
  const { id, came_by, link_id, key_id, opened_by, scopes, address } = row;
  return {
    id,
    came_by,
    link_id,
    key_id,
    opened_by,
    scopes: readScopes(scopes),
    address,
    created_at: new Date(row.created_at).toISOString(),
    expires_at: new Date(row.expires_at).toISOString(),
  };
}
