/** Turns errors of Node and OpenSSL into a failure of the catalogue. */
import { type Failure, failureOf, type ReceiverFailure } from './failures.ts';

const BY_CODE: Readonly<Record<string, ReceiverFailure>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
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
  // HTTP/1.1 is the only protocol that is offered.
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: 'http2_only',
};

/** Node's message for a server that disconnects during the handshake. */
const BEFORE_TLS = 'before secure TLS connection was established';

export function explainError(error: Error): Failure {
  const code = codeOf(error);
  if (code === 'ECONNRESET' && error.message.includes(BEFORE_TLS)) return failureOf('tls_closed');
  const known = BY_CODE[code];
  if (known) return failureOf(known);
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code.startsWith('CERT_')) {
    return failureOf('tls', `The TLS handshake with the receiver failed (${code}).`);
  }
  return failureOf('unknown', `The attempt failed (${code || error.name}).`);
}

/** What OpenSSL found, if it was found while Node was writing: then Node only says EPROTO. */
function codeOf(error: Error): string {
  const { code = '' } = error as { code?: string };
  const [, reason] = /:SSL routines:[^:]*:([^:]+)/.exec(error.message) ?? [];
  if (code !== 'EPROTO' || !reason) return code;
  return `ERR_SSL_${reason.toUpperCase().replaceAll(' ', '_')}`;
}
