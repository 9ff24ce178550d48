/** The result of a delivery's last attempt in a word or two. */
import type { AttemptFailure, StatusClass } from '../api/types.ts';
import { entriesOf } from '../entries.ts';

export const statusClasses = optionsOf({
  '2xx': '2xx',
  '3xx': '3xx',
  '4xx': '4xx',
  '5xx': '5xx',
  no_answer: 'No answer',
} satisfies Record<StatusClass, string>);

/** A failure by status is shown as the status. */
const words = {
  timeout: 'time-out',
  connection_refused: 'refused',
  connection_reset: 'reset',
  dns: 'DNS',
  connect_timeout: 'connect time-out',
  unfinished_reply: 'unfinished reply',
  unreachable: 'unreachable',
  blocked_address: 'blocked address',
  plain_http: 'plain http',
  reserved_port: 'reserved port',
  bad_url: 'bad URL',
  tls: 'TLS',
  tls_closed: 'TLS closed',
  no_tls: 'no TLS',
  https_only: 'https only',
  certificate_self_signed: 'certificate self-signed',
  certificate_untrusted: 'certificate untrusted',
  certificate_expired: 'certificate expired',
  certificate_not_yet_valid: 'certificate not yet valid',
  certificate_wrong_name: 'certificate of another name',
  http2_only: 'HTTP/2 only',
  protocol: 'not HTTP',
  proxy_unreachable: 'our proxy unreachable',
  proxy_refused: 'our proxy refused',
  proxy_timeout: 'our proxy too slow',
  proxy_protocol: 'our proxy not HTTP',
  aborted: 'aborted',
  signing: 'not signed',
  unknown: 'unknown',
} satisfies Record<Exclude<AttemptFailure, 'status'>, string>;

const options = optionsOf(words);
const COMMON = 4;
export const commonFailures = options.slice(0, COMMON);
export const otherFailures = options.slice(COMMON);

export function failureInWords(code: keyof typeof words): string {
  // A newer node may know more codes.
  return words[code] ?? code;
}

function optionsOf<Value extends string>(labels: Record<Value, string>) {
  return entriesOf(labels).map(([value, label]) => ({ value, label }));
}
