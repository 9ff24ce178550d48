/**
 * Why a receiver gave no complete answer: each code with what it means and, if the receiver's developers can do
 * something about it, what. The server adds what only it can notice, and advice for its support team.
 */

export interface ReceiverFailureTexts {
  meaning: string;
  /** For the receiver's developers. */
  fix?: string;
}

const TLS_SETTINGS =
  'Check the TLS settings: TLS 1.2 or later, no client certificate required, and a certificate from a public authority.';

export const receiverFailures = {
  timeout: { meaning: 'The receiver did not answer in time.' },
  unfinished_reply: { meaning: 'The receiver did not finish its reply in time.' },
  connect_timeout: { meaning: 'The receiver did not accept a connection in time.' },
  dns: {
    meaning: "The receiver's host name could not be resolved.",
    fix: 'Check the host name for typos, and that it has an address in the DNS.',
  },
  connection_refused: {
    meaning: 'The receiver refused the connection. Check that it listens on this port.',
    fix: 'Start the receiver, or correct the port in the URL.',
  },
  connection_reset: {
    meaning: 'The receiver closed the connection before its reply was complete.',
    fix: "Look at the receiver's log: it accepted the connection and closed it. If the log has nothing, look for a firewall in between.",
  },
  unreachable: {
    meaning: 'No route leads to the receiver. Check that its address is up.',
    fix: "Check that the receiver's machine and its network are up.",
  },
  tls: {
    meaning: 'The TLS handshake with the receiver failed.',
    fix: TLS_SETTINGS,
  },
  tls_closed: {
    meaning: 'The receiver closed the connection during the TLS handshake.',
    fix: TLS_SETTINGS,
  },
  no_tls: {
    meaning: 'The receiver does not speak TLS on this port. Check the port in the URL.',
    fix: 'Correct the port in the URL, or enable TLS on this one.',
  },
  https_only: {
    meaning: 'The receiver expects TLS on this port, but got plain HTTP. Write https in the URL.',
    fix: 'Write https in the URL.',
  },
  certificate_self_signed: {
    meaning:
      "The receiver's certificate is self-signed. It needs one from a public certificate authority.",
    fix: 'Install a certificate from a public authority.',
  },
  certificate_untrusted: {
    meaning:
      "The receiver's certificate can't be traced to a public certificate authority. It may have to send its intermediate certificates too.",
    fix: 'Install a certificate from a public authority, together with its intermediate certificates.',
  },
  certificate_expired: {
    meaning: "The receiver's certificate has expired. It has to be renewed.",
    fix: 'Renew the certificate.',
  },
  certificate_not_yet_valid: {
    meaning: "The receiver's certificate is not valid yet. Check the dates in it.",
    fix: 'Install a certificate that is valid today.',
  },
  certificate_wrong_name: {
    meaning:
      "The receiver's certificate was issued for another host name. It has to name the one in the URL.",
    fix: 'Install a certificate for the host name in the URL.',
  },
  http2_only: {
    meaning:
      'The receiver speaks only HTTP/2, but webhooks are sent over HTTP/1.1. Enable HTTP/1.1 on this port.',
    fix: 'Enable HTTP/1.1 on this port, in the receiver or in a proxy in front of it.',
  },
  protocol: {
    meaning: 'The reply is not valid HTTP and was dropped.',
    fix: 'Check the port in the URL: another program may listen there.',
  },
  aborted: { meaning: 'The service aborted the attempt.' },
  unknown: { meaning: 'The attempt failed for another reason, which the error names.' },
} as const satisfies Record<string, ReceiverFailureTexts>;

export type ReceiverFailure = keyof typeof receiverFailures;

export interface Failure {
  code: ReceiverFailure;
  message: string;
}

/** `message`: what is known beyond the code. */
export function failureOf(
  code: ReceiverFailure,
  message: string = receiverFailures[code].meaning,
): Failure {
  return { code, message };
}

/** The receiver was too slow at some stage. */
export function isTimeout(code: string): boolean {
  return code === 'timeout' || code === 'unfinished_reply' || code === 'connect_timeout';
}

/** What was sent was complete; what came was not. */
export function lateReply(status: number | undefined, timeoutMs: number): Failure {
  const inTime = timeoutMs < 1_000 ? `within ${timeoutMs} ms.` : `within ${timeoutMs / 1_000} s.`;
  return status === undefined
    ? failureOf('timeout', `The receiver did not answer ${inTime}`)
    : failureOf(
        'unfinished_reply',
        `The receiver answered with status ${status} but did not finish its reply ${inTime}`,
      );
}

export const HTTPS_ONLY = failureOf('https_only');
export const NOT_HTTP = failureOf('protocol', 'The reply is not HTTP. Check the port in the URL.');
export const HEAD_TOO_LONG = failureOf(
  'protocol',
  "The reply's headers are too long. At most 16 KiB in 128 lines are read.",
);
export const BAD_HEADER = failureOf(
  'protocol',
  'A header of the webhook has characters that HTTP does not allow.',
);
