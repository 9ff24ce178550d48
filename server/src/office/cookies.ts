/**
 * The cookies that keep a browser signed in, to the console and to the portal, and the one of a sign-in in progress. Scripts
 * cannot read them. A session's cookie holds the secret of `base/random-token.ts`, of which a database has only the digest.
 */
import { stringifySetCookie } from 'cookie';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { BrowserRequest, OwnPages } from './own-pages.ts';

interface Kind {
  name: string;
  sameSite: 'strict' | 'lax';
  /** Without it, browsers forget the cookie when they are closed. */
  lifeMs?: number;
}

export const CONSOLE_SESSION: Kind = { name: 'bellhop_session', sameSite: 'strict' };

/** Each environment has its own, so that a browser can be signed in to both, and one is never looked for in the other. */
export function portalSession(environment: EnvironmentName): Kind {
  return { name: `bellhop_portal_${environment}`, sameSite: 'strict' };
}

/**
 * Because of the prefix, browsers refuse a cookie of this name from another subdomain, another path or an
 * unencrypted page. Plain http on loopback cannot use it, because the prefix requires Secure.
 */
export function cookieName({ name }: Kind, isOverTls: boolean): string {
  return `${isOverTls ? '__Host-' : ''}${name}`;
}

export interface Cookie {
  /** Undefined if there is none. If there are two, an attacker planted one, and we cannot tell which. */
  read(request: BrowserRequest): string | undefined;
  /** `Set-Cookie`; an empty value deletes it. */
  write(request: BrowserRequest, value: string): string;
}

export function createCookie({ isOverTls }: Pick<OwnPages, 'isOverTls'>, kind: Kind): Cookie {
  const nameFor = (request: BrowserRequest) => cookieName(kind, isOverTls(request));
  const lifeSeconds = kind.lifeMs === undefined ? undefined : kind.lifeMs / 1_000;
  return {
    read(request) {
      const [value, ...others] = cookiesIn(request, nameFor(request));
      return others.length > 0 ? undefined : value;
    },
    write: (request, value) =>
      stringifySetCookie({
        name: nameFor(request),
        value,
        path: '/',
        httpOnly: true,
        sameSite: kind.sameSite,
        secure: isOverTls(request),
        maxAge: value === '' ? 0 : lifeSeconds,
      }),
  };
}

/** All cookies of that name. The library's parser would return the first one and hide the others. */
function cookiesIn({ headers }: BrowserRequest, name: string): string[] {
  return (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}
