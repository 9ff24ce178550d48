/** Who is asking, by Bearer token or by the console's session, and whether their role allows it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Clock } from '../base/clock.ts';
import { Problem } from '../resources/problem.ts';
import type { Access } from '../resources/route.ts';
import { touchToken } from '../resources/tokens/queries.ts';
import type { TokenRole } from '../resources/tokens/tokens.ts';
import type { TokenRow } from '../store/back-office/schema.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import type { KnownTokens } from './known-tokens.ts';
import { isRead, type OwnPages } from './own-pages.ts';
import { isBackground, type Principal, principalOfToken, type Sessions } from './session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** For the audit: the name and id of the token or the person. */
    actor?: string;
  }
}

const READERS: readonly TokenRole[] = ['viewer', 'support', 'admin'];
const CHANGERS: readonly TokenRole[] = ['support', 'admin'];
const ORDERERS: readonly TokenRole[] = ['orders', 'admin'];
const ADMINS: readonly TokenRole[] = ['admin'];

type Guard = (request: FastifyRequest) => Promise<void>;

export interface SignIn extends Record<Access, Guard> {
  reportOrders: Guard;
  /** Whether `reportOrders` would let the request in, if that is known without a look at the database. */
  knowsReporter(headers: IncomingHttpHeaders): boolean;
}

export interface SignInParts {
  tokens: KnownTokens;
  sessions: Sessions;
  ownPages: OwnPages;
  tokenUse: TokenUse;
}

export function createSignIn({ tokens, sessions, ownPages, tokenUse }: SignInParts): SignIn {
  async function byToken(request: FastifyRequest): Promise<Principal> {
    const token = tokenOf(request.headers);
    const found = token === undefined ? undefined : await tokens.find(token);
    if (!found) throw new Problem('unauthenticated');
    return principalOfToken(found);
  }

  async function byTokenOrSession(request: FastifyRequest): Promise<Principal> {
    if (request.headers.authorization !== undefined) return byToken(request);
    const found = await sessions.find(request);
    if (!found) throw new Problem('unauthenticated');
    // A browser sends the cookie with every request, also with one that another site caused.
    if (!isRead(request)) ownPages.checkChange(request);
    return found;
  }

  function allow(roles: readonly TokenRole[], signIn = byTokenOrSession): Guard {
    return async (request) => {
      const found = await signIn(request);
      request.actor = found.actor;
      if (found.token && !isBackground(request)) tokenUse(found.token);
      checkRole(found, roles);
    };
  }
  return {
    read: allow(READERS),
    change: allow(CHANGERS),
    administer: allow(ADMINS),
    reportOrders: allow(ORDERERS, byToken),
    knowsReporter(headers) {
      const token = tokenOf(headers);
      const found = token === undefined ? undefined : tokens.recall(token);
      if (!found || !ORDERERS.includes(found.role)) return false;
      tokenUse(found);
      return true;
    },
  };
}

function tokenOf({ authorization = '' }: IncomingHttpHeaders): string | undefined {
  return /^bearer +(\S{1,256})$/i.exec(authorization)?.[1];
}

/** The console is for those who may read with it. */
export function checkMayUseConsole(principal: Principal): void {
  checkRole(principal, READERS);
}

function checkRole({ name, role, token }: Principal, roles: readonly TokenRole[]): void {
  if (roles.includes(role)) return;
  throw new Problem(
    'forbidden',
    `This needs the role ${roles.join(' or ')}; ${token ? 'the token ' : ''}"${name}" has ${role}.`,
  );
}

/** Set by the guard of every route that changes something. */
export function actorOf(request: FastifyRequest): string {
  if (request.actor === undefined) throw new Error('a change on a route without a guard');
  return request.actor;
}

export const TOUCH_TOKEN_MS = 60_000;

export type TokenUse = (token: TokenRow) => void;

/**
 * Records when a token was last used: at most once a minute for each token, and after the request has gone on. A
 * use that cannot be stored is left out, because no request may fail or wait for it.
 */
export function createTokenUse({ db }: BackOfficeStore, clock: Clock): TokenUse {
  /** Requests that arrive together have all read the row before the first one is recorded. */
  const recordedAtMs = new Map<string, number>();
  return ({ id, last_used_at }) => {
    const nowMs = clock.now();
    const recentMs = nowMs - TOUCH_TOKEN_MS;
    const lastMs = Math.max(last_used_at ?? 0, recordedAtMs.get(id) ?? 0);
    if (lastMs > recentMs) return;
    recordedAtMs.set(id, nowMs);
    // Not before the current work is done: on SQLite the write runs on this thread.
    setImmediate(() => {
      // The store itself reports what the disk or the database refuses.
      touchToken(db, id, nowMs, recentMs).catch(() => {});
    });
  };
}
