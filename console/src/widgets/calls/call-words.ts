/** A refused or failed call in a few words. What it means and what to do comes with each call from the server. */
import { API_ROOT, pathOf } from '@bellhop/rules/endpoint-path';
import type { Call, CallCode } from '../../api/types.ts';
import { durationOf, windowOf } from '../../ui/text/durations.ts';
import { inDigits } from '../../ui/text/numbers.ts';

export const callCodes = {
  endpoint_exceeded_limit: 'over the limit',
  too_many_calls_in_flight: 'too many calls at once',
  incorrect_credentials: 'wrong credentials',
  no_auth_header: 'no credentials',
  invalid_auth_header: 'unreadable credentials',
  too_many_failed_logins: 'too many failed sign-ins',
  api_access_disabled: 'key or partner disabled',
  not_allowed_host: 'address not allowed',
  endpoint_not_found: 'endpoint not found or not granted',
  endpoint_not_active: 'endpoint not active',
  unexpected_method: 'method not allowed',
  body_too_large: 'body too large',
  upstream_error: 'booking core failed',
  upstream_timeout: 'booking core too slow',
  upstream_unreachable: 'booking core unreachable',
  upstream_broke_off: 'booking core broke off',
  upstream_not_configured: 'no booking core',
  caller_gone: 'caller hung up',
  malformed_request: 'not HTTP',
  request_timeout: 'request too slow',
  headers_too_large: 'headers too large',
  unknown: 'our own fault',
} satisfies Record<CallCode, string>;

export function codeInWords(code: string): string {
  // A newer node may know more codes.
  return (callCodes as Record<string, string>)[code] ?? code;
}

/** "search/hp/", or the path that is not an endpoint. */
export function targetOf({ endpoint, path }: Pick<Call, 'endpoint' | 'path'>): string {
  return (endpoint && pathOf(endpoint)) ?? path ?? 'not a valid request';
}

/** People type "search/hp" where the API wants the whole name. */
export function wholeEndpoint(typed: string): string {
  const plain = typed.replace(/^\/+|\/+$/g, '');
  if (plain === '') return '';
  return `${API_ROOT}${pathOf(plain)}/`;
}

/** "10 per minute, none left"; undefined if the call did not get as far as its limit. */
export function limitOf({ limit }: Pick<Call, 'limit'>): string | undefined {
  if (!limit) return undefined;
  const { requests_number, seconds_number, remaining } = limit;
  const left = remaining === 0 ? 'none' : inDigits(remaining);
  return `${inDigits(requests_number)} per ${windowOf(seconds_number)}, ${left} left`;
}

/** "answered 503 after 12 ms"; undefined if the booking core was not asked. */
export function upstreamOf(call: Pick<Call, 'upstream_status' | 'upstream_ms'>) {
  const { upstream_status: status, upstream_ms: ms } = call;
  if (status === null && ms === null) return undefined;
  const answered = status === null ? 'did not answer' : `answered ${status}`;
  return ms === null
    ? answered
    : `${answered} ${status === null ? 'for' : 'after'} ${durationOf(ms)}`;
}
