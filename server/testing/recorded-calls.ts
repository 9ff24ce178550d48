import type { RecordedCall } from '../src/gateway/recorded-calls/recorded-call.ts';

let made = 0;

/** A call that was refused because its limit was used up, with some things different. */
export function refusedCall(different: Partial<RecordedCall> = {}): RecordedCall {
  made++;
  return {
    request_id: made.toString(16).padStart(32, '0'),
    at: Date.UTC(2026, 0, 31, 12),
    key_id: '1000000001',
    partner_id: 'par_1',
    signed_in: 1,
    given_key_id: null,
    given_api_key: null,
    endpoint: 'api/b2b/v3/search/hp/',
    path: null,
    method: 'GET',
    code: 'endpoint_exceeded_limit',
    status: 429,
    requests_number: 10,
    seconds_number: 60,
    remaining: 0,
    resets_at: Date.UTC(2026, 0, 31, 12, 1),
    address: '192.0.2.1',
    upstream_status: null,
    upstream_ms: null,
    duration_ms: 0.125,
    sampled_from: 1,
    ...different,
  };
}
