/** What only support needs: an endpoint as people type it, the limit of a call, and what the booking core did. */
import { API_ROOT, pathOf } from '@bellhop/rules/endpoint-path';
import type { Call } from '../../api/types.ts';
import { durationOf, windowOf } from '../../ui/text/durations.ts';
import { inDigits } from '../../ui/text/numbers.ts';

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
