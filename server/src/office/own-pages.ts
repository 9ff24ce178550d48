/**
 * Whether a browser sent a request from the own pages of the console or the portal, and over what. Behind a proxy only
 * the proxy knows, and only proxies that the operator named are believed.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { type Cidr, isInside, plainAddress } from '../base/addresses/addresses.ts';
import { Problem } from '../resources/problem.ts';

export interface BrowserRequest {
  headers: IncomingHttpHeaders;
  socket: { remoteAddress?: string | undefined; encrypted?: boolean };
}

export interface OwnPages {
  /** Whether the browser's own connection is encrypted, so that it takes and sends Secure cookies. */
  isOverTls(request: BrowserRequest): boolean;
  /** The address of the pages as the browser sees it, such as https://bellhop.example. */
  originOf(request: BrowserRequest): string;
  /** Throws a Problem if a page of another site sent this. */
  checkOrigin(request: BrowserRequest): void;
  /** For the console: and unless it carries a header of its own, which no page of another origin can add. */
  checkChange(request: BrowserRequest): void;
}

/** Other sites may cause such requests: they change nothing, and their pages do not see the reply. */
export function isRead({ method }: { method: string }): boolean {
  return method === 'GET' || method === 'HEAD';
}

const CHANGE_HEADER = 'X-Bellhop-Console';

export function createOwnPages(trustedProxies: readonly Cidr[]): OwnPages {
  /** What a trusted proxy says; with several in a row, the one at the browser. */
  function fromProxy({ headers, socket }: BrowserRequest, name: string): string | undefined {
    if (!isInside(plainAddress(socket.remoteAddress ?? ''), trustedProxies)) return undefined;
    return String(headers[name] ?? '')
      .split(',')[0]
      ?.trim();
  }

  function hostOf(request: BrowserRequest): string {
    return fromProxy(request, 'x-forwarded-host') || (request.headers.host ?? '');
  }

  function checkOrigin(request: BrowserRequest): void {
    const { origin, 'sec-fetch-site': site } = request.headers;
    if (site !== undefined && site !== 'same-origin') {
      throw new Problem('csrf', 'Another site sent this, by what the browser says of it.');
    }
    if (origin !== undefined && !isSameHost(origin, hostOf(request))) {
      throw new Problem(
        'csrf',
        'Origin names another host than Host. A proxy that changes Host must send X-Forwarded-Host and be one that the operator trusts.',
      );
    }
  }

  function isOverTls(request: BrowserRequest): boolean {
    // Between a proxy and us, TLS says nothing about the browser.
    const told = fromProxy(request, 'x-forwarded-proto');
    return told ? told.toLowerCase() === 'https' : request.socket.encrypted === true;
  }

  return {
    isOverTls,
    originOf(request) {
      const url = URL.parse(`${isOverTls(request) ? 'https' : 'http'}://${hostOf(request)}`);
      if (!url) throw new Problem('malformed_request');
      return url.origin;
    },
    checkOrigin,
    checkChange(request) {
      if (request.headers[CHANGE_HEADER.toLowerCase()] !== '1') {
        throw new Problem('csrf', `A change must carry ${CHANGE_HEADER}: 1.`);
      }
      checkOrigin(request);
    },
  };
}

/**
 * The scheme may differ: TLS ends at the proxy. A page of another scheme on the same host is told
 * apart by Sec-Fetch-Site.
 */
function isSameHost(origin: string, host: string): boolean {
  const from = URL.parse(origin);
  // Pages of apps and browser extensions have schemes of their own, and hosts that anyone may choose.
  if (from?.protocol !== 'https:' && from?.protocol !== 'http:') return false;
  // With the same scheme the same port may be left out.
  const own = URL.parse(`${from.protocol}//${host}`);
  return from.host !== '' && from.host === own?.host;
}
