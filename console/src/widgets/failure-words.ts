/** The result of a delivery's last attempt in a word or two. */
import type { AttemptFailure, StatusClass } from '../api/types.ts';

export const statusClasses: readonly { value: StatusClass; label: string }[] = [
  { value: '2xx', label: '2xx' },
  { value: '3xx', label: '3xx' },
  { value: '4xx', label: '4xx' },
  { value: '5xx', label: '5xx' },
  { value: 'no_answer', label: 'No answer' },
];

const words: Record<Exclude<AttemptFailure, 'status'>, string> = {
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
  aborted: 'aborted',
  signing: 'not signed',
  unknown: 'unknown',
};

const options = Object.entries(words).map(([value, label]) => ({
  value: value as keyof typeof words,
  label,
}));
const COMMON = 4;
export const commonFailures = options.slice(0, COMMON);
export const otherFailures = options.slice(COMMON);

export function failureInWords(code: string): string {
  return words[code as keyof typeof words] ?? code;
}
