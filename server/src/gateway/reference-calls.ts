/**
 * Lets the API reference of the documentation try calls from a browser. Only in the sandbox, and only for pages of this
 * service: those at the addresses that the operator has set, and those on the same host, where its other listeners are.
 * Browsers send no credentials by themselves here: who calls needs a key, from a page or not.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { hasBody } from '../listener/linger.ts';
import { isValidMessage } from '../listener/valid-message.ts';

const PREFLIGHT_VALID_SECONDS = 600;
const READABLE = [
  'X-Request-Id',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-RateLimit-RequestsNumber',
  'X-RateLimit-SecondsNumber',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
].join(', ');

/** True if the request was the browser's question whether it may call, which is then answered. */
export type ReferenceCalls = (request: IncomingMessage, response: ServerResponse) => boolean;

/** `origins` are those that the operator has set. */
export function allowReferenceCalls(origins: readonly string[]): ReferenceCalls {
  return (request, response) => {
    const { origin, host } = request.headers;
    if (origin === undefined) return false;
    response.setHeader('Vary', 'Origin');
    if (!origins.includes(origin) && !isSameHost(origin, host)) return false;
    response.setHeader('Access-Control-Allow-Origin', origin);
    if (!isQuestion(request)) {
      response.setHeader('Access-Control-Expose-Headers', READABLE);
      return false;
    }
    response.writeHead(204, {
      'Access-Control-Allow-Methods': 'GET, HEAD, POST',
      'Access-Control-Allow-Headers': 'authorization, content-type, x-debug-mode',
      'Access-Control-Max-Age': PREFLIGHT_VALID_SECONDS,
    });
    response.end();
    return true;
  };
}

function isQuestion(request: IncomingMessage): boolean {
  const { method, headers } = request;
  if (method !== 'OPTIONS' || headers['access-control-request-method'] === undefined) return false;
  return isValidMessage(request) && !hasBody(request);
}

function isSameHost(origin: string, host: string | undefined): boolean {
  const [page, own] = [URL.parse(origin), URL.parse(`http://${host}`)];
  return page !== null && page.hostname !== '' && page.hostname === own?.hostname;
}
