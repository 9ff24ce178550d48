/**
 * Turns errors of Node, OpenSSL and the dialler into a code for programs and a sentence that the support
 * team can read out to the partner.
 */
import { DialRefused } from './connector.ts';
import type { FailureCode } from './failure-codes.ts';

/** The receiver was too slow at some stage. */
export function isTimeout(code: FailureCode): boolean {
  return code === 'timeout' || code === 'unfinished_reply' || code === 'connect_timeout';
}

export interface Failure {
  code: FailureCode;
  message: string;
}

export const RESET: Failure = {
  code: 'connection_reset',
  message: 'The receiver closed the connection before its reply was complete.',
};
const UNREACHABLE: Failure = {
  code: 'unreachable',
  message: 'No route leads to the receiver. Check that its address is up.',
};
const SELF_SIGNED: Failure = {
  code: 'certificate_self_signed',
  message:
    "The receiver's certificate is self-signed. It needs one from a public certificate authority.",
};
const NO_TLS: Failure = {
  code: 'no_tls',
  message: 'The receiver does not speak TLS on this port. Check the port in the URL.',
};
const UNKNOWN_ISSUER: Failure = {
  code: 'certificate_untrusted',
  message:
    "The receiver's certificate can't be traced to a public certificate authority. It may have to send its intermediate certificates too.",
};
export const CONNECT_TIMEOUT: Failure = {
  code: 'connect_timeout',
  message: 'The receiver did not accept a connection in time.',
};
export const TOO_MANY_HINTS: Failure = {
  code: 'protocol',
  message: 'The receiver sent one 1xx reply after another instead of an answer.',
};
export const NOT_HTTP: Failure = {
  code: 'protocol',
  message: 'The reply is not HTTP. Check the port in the URL.',
};
export const HTTP2_ONLY: Failure = {
  code: 'http2_only',
  message:
    'The receiver speaks only HTTP/2, but webhooks are sent over HTTP/1.1. Enable HTTP/1.1 on this port.',
};
export const HTTPS_ONLY: Failure = {
  code: 'https_only',
  message: 'The receiver expects TLS on this port, but got plain HTTP. Write https in the URL.',
};
export const HEAD_TOO_LONG: Failure = {
  code: 'protocol',
  message: "The reply's headers are too long. At most 16 KiB in 128 lines are read.",
};
export const BROKEN_REPLY: Failure = {
  code: 'protocol',
  message: 'The reply is not valid HTTP and was dropped.',
};
export const BAD_HEADER: Failure = {
  code: 'protocol',
  message: 'A header of the webhook has characters that HTTP does not allow.',
};
export const NOT_A_URL: Failure = { code: 'bad_url', message: 'The receiver URL is not a URL.' };
export const ABORTED: Failure = {
  code: 'aborted',
  message: 'The service aborted the attempt.',
};

const BY_CODE: Readonly<Record<string, Failure>> = {
  ECONNREFUSED: {
    code: 'connection_refused',
    message: 'The receiver refused the connection. Check that it listens on this port.',
  },
  ECONNRESET: RESET,
  ECONNABORTED: RESET,
  EPIPE: RESET,
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  EHOSTDOWN: UNREACHABLE,
  ENETDOWN: UNREACHABLE,
  ETIMEDOUT: CONNECT_TIMEOUT,
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_ISSUER,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_ISSUER,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_ISSUER,
  CERT_HAS_EXPIRED: {
    code: 'certificate_expired',
    message: "The receiver's certificate has expired. It has to be renewed.",
  },
  CERT_NOT_YET_VALID: {
    code: 'certificate_not_yet_valid',
    message: "The receiver's certificate is not valid yet. Check the dates in it.",
  },
  ERR_TLS_CERT_ALTNAME_INVALID: {
    code: 'certificate_wrong_name',
    message:
      "The receiver's certificate was issued for another host name. It has to name the one in the URL.",
  },
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  // HTTP/1.1 is the only protocol that the dialler offers.
  ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL: HTTP2_ONLY,
};

/** Node's message for a server that disconnects during the handshake. */
const BEFORE_TLS = 'before secure TLS connection was established';

export function explainFailure(error: Error): Failure {
  if (error instanceof DialRefused) return { code: error.reason, message: error.message };
  const { code = '' } = error as { code?: string };
  if (code === 'ECONNRESET' && error.message.includes(BEFORE_TLS)) {
    return {
      code: 'tls_closed',
      message: 'The receiver closed the connection during the TLS handshake.',
    };
  }
  const known = BY_CODE[code];
  if (known) return known;
  if (code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_') || code.startsWith('CERT_')) {
    return { code: 'tls', message: `The TLS handshake with the receiver failed (${code}).` };
  }
  return { code: 'unknown', message: `The attempt failed (${code || error.name}).` };
}
