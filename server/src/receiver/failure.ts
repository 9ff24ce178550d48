/** Turns errors of Node, OpenSSL and the dialler into a failure of the catalogue (failure-codes.ts). */
import { DialRefused } from './connector.ts';
import { type FailureCode, failures } from './failure-codes.ts';
import { ProxyFailed } from './tunnel.ts';

/** The receiver was too slow at some stage. */
export function isTimeout(code: FailureCode): boolean {
  return code === 'timeout' || code === 'unfinished_reply' || code === 'connect_timeout';
}

export interface Failure {
  code: FailureCode;
  message: string;
}

/** `message`: what is known beyond the code. */
export function failureOf(code: FailureCode, message: string = failures[code].meaning): Failure {
  return { code, message };
}

export const RESET = failureOf('connection_reset');
export const CONNECT_TIMEOUT = failureOf('connect_timeout');
export const HTTP2_ONLY = failureOf('http2_only');
export const HTTPS_ONLY = failureOf('https_only');
export const NOT_A_URL = failureOf('bad_url');
export const ABORTED = failureOf('aborted');
export const BROKEN_REPLY = failureOf('protocol');
export const TOO_MANY_HINTS = failureOf(
  'protocol',
  'The receiver sent one 1xx reply after another instead of an answer.',
);
export const NOT_HTTP = failureOf('protocol', 'The reply is not HTTP. Check the port in the URL.');
export const HEAD_TOO_LONG = failureOf(
  'protocol',
  "The reply's headers are too long. At most 16 KiB in 128 lines are read.",
);
export const BAD_HEADER = failureOf(
  'protocol',
  'A header of the webhook has characters that HTTP does not allow.',
);

const BY_CODE: Readonly<Record<string, FailureCode>> = {
  ECONNREFUSED: 'connection_refused',
  ECONNRESET: 'connection_reset',
  ECONNABORTED: 'connection_reset',
  EPIPE: 'connection_reset',
  EHOSTUNREACH: 'unreachable',
  ENETUNREACH: 'unreachable',
  EADDRNOTAVAIL: 'unreachable',
  EHOSTDOWN: 'unreachable',
  ENETDOWN: 'unreachable',
  ETIMEDOUT: 'connect_timeout',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate_self_signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate_untrusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT: 'certificate_untrusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate_untrusted',
  CERT_HAS_EXPIRED: 'certificate_expired',
  CERT_NOT_YET_VALID: 'certificate_not_yet_valid',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate_wrong_name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no_tls',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no_tls',
  // HTTP/1.1 is the only protocol that the dialler offers.
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'http2_only',
};

/** Node's message for a server that disconnects during the handshake. */
const BEFORE_TLS = 'before secure TLS connection was established';

export function explainFailure(error: Error): Failure {
  if (error instanceof DialRefused) return failureOf(error.reason, error.message);
  if (error instanceof ProxyFailed) return failureOf(error.reason, error.message);
  const { code = '' } = error as { code?: string };
  if (code === 'ECONNRESET' && error.message.includes(BEFORE_TLS)) return failureOf('tls_closed');
  const known = BY_CODE[code];
  if (known) return failureOf(known);
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code.startsWith('CERT_')) {
    return failureOf('tls', `The TLS handshake with the receiver failed (${code}).`);
  }
  return failureOf('unknown', `The attempt failed (${code || error.name}).`);
}
