/** The envelope: success and refusal, as bytes on the response. */
import { endpointAt, OVERVIEW } from '../base/catalogue.ts';
import type { Clock } from '../base/clock.ts';
import { isArriving, linger } from '../listener/linger.ts';
import { type Call, debugOf } from './call.ts';
import { rateLimitHeaders, retryAfterSeconds } from './rate-limit-headers.ts';
import type { Refusal, RefusalKind } from './refusal.ts';
import { MOST_DISCARDED_BYTES } from './request-body.ts';
import { sendWhole } from './whole-reply.ts';

export const ALLOWED_METHODS = 'GET, HEAD, POST';
export const CHALLENGE = 'Basic realm="Bellhop partner API", charset="UTF-8"';

/**
 * `object`: the error with a sentence, and the overview's `data` an array as in all its replies.
 * `code`: the bare code and `data` null, for clients written for an API of this family.
 */
export type ErrorForm = 'object' | 'code';

export function refusalBody(
  { code, meaning, advice }: RefusalKind,
  debug: object | null,
  { form, isOverview }: { form: ErrorForm; isOverview: boolean },
): string {
  return JSON.stringify(
    form === 'code'
      ? { data: null, debug, error: code, status: 'error' }
      : {
          data: isOverview ? [] : null,
          debug,
          error: { code, message: `${meaning} ${advice}` },
          status: 'error',
        },
  );
}

export function headersOf(call: Call, clock: Clock): string[] {
  const headers = ['Content-Type', 'application/json', 'X-Request-Id', call.id];
  if (call.grant?.is_limited && call.standing) headers.push(...limitHeadersOf(call, clock));
  return headers;
}

export function limitHeadersOf(call: Call, clock: Clock): string[] {
  const { grant, standing } = call;
  if (!grant?.is_limited || !standing) return [];
  return rateLimitHeaders(
    { requests: grant.requests_number, seconds: grant.seconds_number },
    { remaining: standing.remaining, resetInMs: call.resetInMs(clock.monotonic()) },
    clock.now(),
  );
}

export function sendRefusal(
  call: Call,
  refusal: Refusal,
  { clock, errorForm }: { clock: Clock; errorForm: ErrorForm },
): void {
  const { kind, retryAfterMs } = refusal;
  const debug = kind.status === 500 ? null : debugOf(call, clock.now());
  const isOverview = endpointAt(call.path) === OVERVIEW;
  const body = Buffer.from(refusalBody(kind, debug, { form: errorForm, isOverview }));
  const headers = headersOf(call, clock);
  headers.push('Content-Length', String(body.length));
  if (kind.status === 401) headers.push('WWW-Authenticate', CHALLENGE);
  if (kind.status === 405) headers.push('Allow', ALLOWED_METHODS);
  if (retryAfterMs !== undefined) {
    headers.push('Retry-After', String(retryAfterSeconds(retryAfterMs)));
  }
  const { request, response } = call;
  const isSending = isArriving(request);
  // What follows an invalid request, or is left of a body that is not read, must not be taken for the
  // next request.
  if (isSending || kind.status === 400) response.shouldKeepAlive = false;
  // A caller that waits for 100 Continue will not send its body after this.
  if (!isSending || call.expectsContinue) {
    sendWhole(response, kind.status, headers, body.toString('latin1'));
    return;
  }
  response.writeHead(kind.status, headers);
  response.flushHeaders();
  response.write(body);
  linger(request, MOST_DISCARDED_BYTES, clock, () => response.end());
}
