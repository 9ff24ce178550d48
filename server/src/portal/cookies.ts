/**
 * The cookies of the portal's sessions. Each environment has its own, so that a browser can be signed in to both, and a
 * session of one is never looked for in the other.
 */
import { stringifySetCookie } from 'cookie';
import type { EnvironmentName } from '../base/config/settings.ts';
import type { BrowserRequest, OwnPages } from '../office/own-pages.ts';
import { cookiesIn } from '../office/session.ts';

/** Browsers take the prefix only with Secure, and only from this very host: plain http cannot use it. */
export function cookieName(environment: EnvironmentName, isOverTls: boolean): string {
  return `${isOverTls ? '__Host-' : ''}bellhop_portal_${environment}`;
}

export interface Cookies {
  /** The id of the session; undefined if there is none. */
  read(request: BrowserRequest, environment: EnvironmentName): string | undefined;
  /** `Set-Cookie`; an empty id deletes it. */
  write(request: BrowserRequest, environment: EnvironmentName, id: string): string;
}

export function createCookies({ isOverTls }: Pick<OwnPages, 'isOverTls'>): Cookies {
  const nameFor = (request: BrowserRequest, environment: EnvironmentName) =>
    cookieName(environment, isOverTls(request));
  return {
    read(request, environment) {
      // If there are two of that name, an attacker planted one, and we cannot tell which.
      const [id, ...others] = cookiesIn(request, nameFor(request, environment));
      return others.length > 0 ? undefined : id;
    },
    write: (request, environment, id) =>
      stringifySetCookie({
        name: nameFor(request, environment),
        value: id,
        path: '/',
        httpOnly: true,
        sameSite: 'strict',
        secure: isOverTls(request),
        ...(id === '' && { maxAge: 0 }),
      }),
  };
}
