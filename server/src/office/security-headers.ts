/** What keeps the console's pages, and every other reply, from misuse by other pages. */
import { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import helmet from 'helmet';
import { http } from '../listener/node-http.ts';

const STRICT = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  fontSrc: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'none'"],
  baseUri: ["'none'"],
};

const protect = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: STRICT },
  referrerPolicy: { policy: 'no-referrer' },
  // Only with a certificate of our own: otherwise TLS, and with it this promise, is up to the proxy in front.
  strictTransportSecurity: false,
  // What the policy above says already, or what only browsers of long ago read.
  crossOriginResourcePolicy: false,
  originAgentCluster: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});

/**
 * Helmet's headers are the same for every reply, so they are asked for once: composing them for each
 * request takes 12 to 17 µs, which order events would pay as well. This way they are also at hand for
 * replies that no hook of Fastify sees.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  ...composed(protect),
  // Replies hold keys that are shown once; only the console's own files may be kept.
  'cache-control': 'no-store',
};

/** The policy of a page that needs exceptions. */
export function contentSecurityPolicy(exceptions: Partial<typeof STRICT>): string {
  const directives = { ...STRICT, ...exceptions };
  const name = 'content-security-policy';
  return composed(helmet.contentSecurityPolicy({ useDefaults: false, directives }))[name] ?? '';
}

function composed(protect: ReturnType<typeof helmet>): Record<string, string> {
  const request = new http.IncomingMessage(new Socket());
  const response = new http.ServerResponse(request);
  protect(request, response, () => {});
  const headers = Object.entries(response.getHeaders());
  return Object.fromEntries(headers.map(([name, value]) => [name, String(value)]));
}

/** For a year, browsers call this host over TLS only. */
const OVER_TLS_ONLY = { 'strict-transport-security': 'max-age=31536000' };

/** On every reply, including refusals. */
export function headersOfReplies(isTls: boolean): Readonly<Record<string, string>> {
  return { ...SECURITY_HEADERS, ...(isTls && OVER_TLS_ONLY) };
}

export function addSecurityHeaders(app: FastifyInstance, isTls: boolean): void {
  const headers = headersOfReplies(isTls);
  app.addHook('onRequest', (_request, reply, done) => {
    reply.headers(headers);
    done();
  });
}
