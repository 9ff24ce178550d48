/**
 * A browser that is signed in to the console. The cookie holds 256 random bits. The database holds only
 * their digest, and the digest of the token or the id of the person who signed in. So a session works on every
 * node, survives a restart, and is deleted with its token or when the person gets another role.
 */
import type { Clock } from '../base/clock.ts';
import { newToken, type RandomToken, tokenIn } from '../base/random-token.ts';
import { personInAudit } from '../resources/people/people.ts';
import type { TokenRole } from '../resources/tokens/tokens.ts';
import type { PersonRow, TokenRow } from '../store/back-office/schema.ts';
import {
  endSessions,
  insertSession,
  type PersonSession,
  readPersonSession,
  readTokenSession,
  type SessionEnds,
  touchSession,
} from '../store/back-office/sessions.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { storageTroubleOf } from '../store/storage-trouble.ts';
import { CONSOLE_SESSION, createCookie } from './cookies.ts';
import type { ProviderTokens } from './oidc/provider.ts';
import type { BrowserRequest, OwnPages } from './own-pages.ts';
import type { RoleChecks } from './role-checks.ts';
import { openTokens } from './sealed-tokens.ts';

/** Who makes a request: a token, or a person who signed in through OpenID Connect. */
export interface Principal {
  name: string;
  role: TokenRole;
  /** For the audit. */
  actor: string;
  /** The token, also if it is used through a session. */
  token?: TokenRow;
}

export function principalOfToken(token: TokenRow): Principal {
  const { name, id, role } = token;
  return { name, role, actor: `${name} (${id})`, token };
}

/** Undefined if the person has no role. */
function principalOfPerson(person: PersonRow): Principal | undefined {
  const { name, role } = person;
  return role === null ? undefined : { name, role, actor: personInAudit(person) };
}

/** How long a session lasts without use. Requests that a page makes in the background are not use. */
export const SESSION_IDLE_MS = 8 * 3_600_000;
export const SESSION_LIFE_MS = 7 * 86_400_000;
/** Shorter, so that people show once a day that they still work here, whatever the provider allows. */
export const PERSON_SESSION_LIFE_MS = 12 * 3_600_000;
/** A use is recorded at most this often. */
const TOUCH_MS = 60_000;

export interface Sessions {
  /** Returns the `Set-Cookie` of a new session; undefined if the token or the role was taken away meanwhile. */
  open(opener: SessionOpener, request: BrowserRequest): Promise<string | undefined>;
  /** Who opened the request's session; undefined if there is no session or it has ended. */
  find(request: BrowserRequest): Promise<Principal | undefined>;
  close(request: BrowserRequest): Promise<ClosedSession>;
}

export type SessionOpener = { token: TokenRow } | { person: PersonRow; tokens: ProviderTokens };

export interface ClosedSession {
  /** The `Set-Cookie` that deletes the cookie. */
  setCookie: string;
  /** Who was signed in; undefined if nobody was. */
  principal: Principal | undefined;
  /** The provider's, if a person was. */
  idToken: string | undefined;
}

export function createSessions(
  { db, endSession }: BackOfficeStore,
  clock: Clock,
  ownPages: Pick<OwnPages, 'isOverTls'>,
  /** Of the issuer whose people may sign in; undefined if people sign in with tokens only. */
  roleChecks?: RoleChecks,
): Sessions {
  const cookie = createCookie(ownPages, CONSOLE_SESSION);
  const secretIn = (request: BrowserRequest) => tokenIn(cookie.read(request));

  const endsAt = (nowMs: number, lifeMs = SESSION_LIFE_MS): SessionEnds => ({
    usedAtMs: nowMs - SESSION_IDLE_MS,
    createdAtMs: nowMs - lifeMs,
  });

  async function read({ digest }: RandomToken, nowMs: number): Promise<Found | undefined> {
    const byToken = await readTokenSession(db, digest, endsAt(nowMs), nowMs);
    if (byToken) return { principal: principalOfToken(byToken.token), usedAtMs: byToken.usedAtMs };
    if (!roleChecks) return undefined;
    const ends = endsAt(nowMs, PERSON_SESSION_LIFE_MS);
    const byPerson = await readPersonSession(db, digest, ends, roleChecks.issuer);
    const principal = byPerson && principalOfPerson(byPerson.person);
    return principal && { principal, usedAtMs: byPerson.usedAtMs, byPerson };
  }

  return {
    async open(opener, request) {
      const before = secretIn(request);
      if (before) await endSession(before.digest);
      const nowMs = clock.now();
      await endSessions(db, endsAt(nowMs));
      const { token: id, digest } = newToken();
      const checked = 'tokens' in opener ? roleChecks?.begin(id, opener.tokens) : undefined;
      const confirmation = checked ?? NEVER_CHECKED;
      const isOpen = await insertSession(db, opener, { digest, nowMs, confirmation });
      return isOpen ? cookie.write(request, id) : undefined;
    },

    async find(request) {
      const secret = secretIn(request);
      if (!secret) return undefined;
      const { token: id, digest } = secret;
      const nowMs = clock.now();
      const found = await read(secret, nowMs);
      if (!found) return undefined;
      const background = isBackground(request);
      const { byPerson } = found;
      if (byPerson && roleChecks) {
        const session = { ...byPerson, id, digest, isBackground: background };
        if (!(await roleChecks.allow(session))) return undefined;
      }
      const recentMs = nowMs - TOUCH_MS;
      if (found.usedAtMs <= recentMs && !background) {
        // On a full disk people can still read; at worst their session ends a little early.
        await touchSession(db, digest, nowMs, recentMs).catch(unlessStorageTrouble);
      }
      return found.principal;
    },

    async close(request) {
      const setCookie = cookie.write(request, '');
      const secret = secretIn(request);
      if (!secret) return { setCookie, principal: undefined, idToken: undefined };
      const found = await read(secret, clock.now());
      const sealed = found?.byPerson?.confirmation.sealed_tokens;
      const tokens = sealed ? openTokens(secret.token, sealed) : undefined;
      await endSession(secret.digest);
      return { setCookie, principal: found?.principal, idToken: tokens?.idToken };
    },
  };
}

/** Of a token's session. */
const NEVER_CHECKED = { confirmed_at: 0, confirm_after: 0, sealed_tokens: null };

/**
 * For the start: people of an issuer that was replaced or switched off have no sessions any more. Those would come back
 * if the issuer were set again. On a full disk, the next start deletes them.
 */
export async function endSessionsOfOtherIssuers(
  { db }: BackOfficeStore,
  issuer: string | undefined,
): Promise<void> {
  await endSessions(db, { exceptIssuer: issuer }).catch(unlessStorageTrouble);
}

function unlessStorageTrouble(error: unknown): void {
  if (!storageTroubleOf(error)) throw error;
}

interface Found {
  principal: Principal;
  usedAtMs: number;
  byPerson?: PersonSession;
}

/**
 * An open page polls; that must not keep its session alive. A request with a token of its own does not come from
 * such a page, and its use is always recorded.
 */
export function isBackground({ headers }: BrowserRequest): boolean {
  return headers.authorization === undefined && headers['x-bellhop-background'] === '1';
}
