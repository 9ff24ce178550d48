/** Why a receiver gave no complete answer, for programs. failure.ts has a sentence for each. */
export const failureCodes = [
  'timeout',
  'unfinished_reply',
  'connect_timeout',
  'dns',
  'blocked_address',
  'plain_http',
  'reserved_port',
  'bad_url',
  'connection_refused',
  'connection_reset',
  'unreachable',
  'tls',
  'tls_closed',
  'no_tls',
  'https_only',
  'certificate_self_signed',
  'certificate_untrusted',
  'certificate_expired',
  'certificate_not_yet_valid',
  'certificate_wrong_name',
  'http2_only',
  'protocol',
  'aborted',
  'unknown',
] as const;

export type FailureCode = (typeof failureCodes)[number];
