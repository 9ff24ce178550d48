/**
 * The catalogue of failed attempts: every code that an attempt can have, with its texts. The API, its documents and
 * docs/errors.md are made from it or compared with it. What a receiver's developers are told is in the partner package,
 * whose receiver check tells it too.
 */
import { type ReceiverFailureTexts, receiverFailures } from '@bellhop/partner/receiver-check';

/** `meaning` is the error in the attempt's record, unless more is known than the code. */
export interface FailureTexts extends ReceiverFailureTexts {
  /** For the support team, often on the phone with the partner. */
  advice: string;
  /** The next automatic attempt may succeed, although nobody does anything. */
  mayPass?: true;
}

export const failures = {
  status: {
    meaning: 'The receiver answered with a status other than 2xx.',
    advice: "Look at the status and the reply; if they do not say why, the partner's log does.",
  },
  timeout: {
    ...receiverFailures.timeout,
    advice:
      'The receiver got the webhook but did not answer in time. Ask the partner to answer 200 immediately and do the work afterwards.',
  },
  unfinished_reply: {
    ...receiverFailures.unfinished_reply,
    advice:
      'The receiver started its reply but did not finish it in time. Ask the partner to answer 200 immediately and do the work afterwards.',
  },
  connect_timeout: {
    ...receiverFailures.connect_timeout,
    advice:
      'The receiver did not accept the connection in time: it is down or overloaded, or a firewall blocks our calls. Ask the partner whether our addresses are allowed.',
  },
  dns: {
    ...receiverFailures.dns,
    advice:
      "The host name in the receiver's URL has no address. Check the name for typos; if it is correct, the partner has to fix its DNS. Then retry.",
  },
  blocked_address: {
    meaning: "The receiver's address is not public.",
    advice:
      "The receiver's host resolves to an address that is not public (a private network, for example), and webhooks are never sent there. Ask the partner for a URL that is reachable from the internet, or ask an operator to list the address in BELLHOP_<ENV>_RECEIVER_ALLOW.",
    fix: 'Give the receiver an address that the internet can reach.',
  },
  plain_http: {
    meaning: "The receiver's URL does not start with https.",
    advice:
      "The receiver's URL starts with http, which works only for addresses that an operator has listed. Ask the partner for an https URL.",
    fix: 'Write https in the URL.',
  },
  reserved_port: {
    meaning: "The port in the receiver's URL belongs to another service.",
    advice:
      "The receiver's URL has a port that belongs to another service. Ask the partner for a URL with port 443, or with a port from 1024 up.",
    fix: 'Use port 443, or one from 1024 on.',
  },
  bad_url: {
    meaning: 'The receiver URL is not a URL.',
    advice: "The midoffice's URL is not valid. Correct it in the midoffice, then retry.",
  },
  connection_refused: {
    ...receiverFailures.connection_refused,
    advice:
      "The receiver's machine answered, but nothing listens on the URL's port. Ask the partner whether the receiver is running, and whether the port is correct.",
  },
  connection_reset: {
    ...receiverFailures.connection_reset,
    advice:
      'The receiver accepted the connection and closed it without a complete reply. A program that crashes or restarts does this, and so does a firewall that blocks the call, or a server that expects https where the URL says http. Ask the partner to check the log at the time of the attempt.',
  },
  unreachable: {
    ...receiverFailures.unreachable,
    advice:
      "The receiver's address is unreachable: its machine or its network is down. Ask the partner whether it is up.",
  },
  tls: {
    ...receiverFailures.tls,
    advice:
      'The TLS handshake with the receiver failed. Ask the partner to check the TLS configuration: the receiver must support TLS 1.2 or later and have a certificate from a public authority.',
  },
  tls_closed: {
    ...receiverFailures.tls_closed,
    advice:
      'The receiver closed the connection before TLS was established. Ask the partner to check the TLS configuration: the receiver must support TLS 1.2 or later and must not require a client certificate.',
  },
  no_tls: {
    ...receiverFailures.no_tls,
    advice:
      'The URL starts with https, but the receiver does not speak TLS on this port. Check the port with the partner.',
  },
  https_only: {
    ...receiverFailures.https_only,
    advice:
      "The receiver expects TLS, but got plain HTTP. If the midoffice's URL starts with http, change it to https. If it starts with https already, something in front of the receiver decrypts the call and passes it on without TLS; the partner has to correct that.",
  },
  certificate_self_signed: {
    ...receiverFailures.certificate_self_signed,
    advice:
      'The receiver has a self-signed certificate, which anybody could make. The partner needs one from a public certificate authority; some are free.',
  },
  certificate_untrusted: {
    ...receiverFailures.certificate_untrusted,
    advice:
      "The receiver's certificate does not lead to a public certificate authority. Most often, the server does not send the intermediate certificates: ask the partner to install the full chain.",
  },
  certificate_expired: {
    ...receiverFailures.certificate_expired,
    advice:
      "The receiver's certificate has expired. The partner has to renew it; nothing needs to change here.",
  },
  certificate_not_yet_valid: {
    ...receiverFailures.certificate_not_yet_valid,
    advice:
      "The receiver's certificate is valid only from a later date. The partner has to install a valid one.",
  },
  certificate_wrong_name: {
    ...receiverFailures.certificate_wrong_name,
    advice:
      "The receiver's certificate is for another host name than the one in the URL. Either the midoffice's URL is wrong, or the partner needs a certificate for this name.",
  },
  http2_only: {
    ...receiverFailures.http2_only,
    advice:
      'The receiver accepts only HTTP/2, but webhooks are sent over HTTP/1.1. Ask the partner to enable HTTP/1.1 as well, in the receiver or in a proxy in front of it.',
  },
  protocol: {
    ...receiverFailures.protocol,
    advice:
      'The reply is not valid HTTP: the port may belong to another program, or a device in between damages replies. Check the URL and its port with the partner.',
  },
  proxy_unreachable: {
    meaning: 'Our own proxy, through which webhooks go out, cannot be reached.',
    advice:
      'Webhooks go out through a proxy of ours, and it cannot be reached. The receiver is not at fault and got nothing: tell the operator of this server.',
    mayPass: true,
  },
  proxy_refused: {
    meaning: 'Our own proxy, through which webhooks go out, did not open the way to the receiver.',
    advice:
      'Webhooks go out through a proxy of ours, which did not open the way to the receiver, so the receiver got nothing. Tell the operator of this server: the log of the proxy says why. Only with a status from 502 to 504 may the receiver be down as well.',
    mayPass: true,
  },
  proxy_timeout: {
    meaning:
      'Our own proxy, through which webhooks go out, did not open the way to the receiver in time.',
    advice:
      'Webhooks go out through a proxy of ours, which did not open the way to the receiver in time, so the receiver got nothing. If other midoffices have this failure as well, tell the operator of this server. If it is this one alone, ask the partner whether its receiver is up and lets the address of our proxy in.',
    mayPass: true,
  },
  proxy_protocol: {
    meaning: 'Our own proxy, through which webhooks go out, gave an answer that is not valid.',
    advice:
      'Webhooks go out through a proxy of ours, whose answer is not valid: another program may listen at its address. The receiver is not at fault and got nothing: tell the operator of this server.',
    mayPass: true,
  },
  aborted: {
    ...receiverFailures.aborted,
    advice: 'The attempt was aborted because this server was stopping.',
    mayPass: true,
  },
  unknown: {
    ...receiverFailures.unknown,
    advice:
      "If it keeps failing, ask the partner to check the receiver's log at the time of the attempt.",
    mayPass: true,
  },
  signing: {
    meaning:
      'The webhook could not be signed: the signing key of the midoffice cannot be read. This is an error on the server; see its log for details.',
    advice:
      "The webhook could not be signed, because the midoffice's signing key cannot be read. The receiver is not at fault: tell the operator of this server, whose log has the details.",
    mayPass: true,
  },
} as const satisfies Record<string, FailureTexts>;

export type AttemptFailure = keyof typeof failures;

export const attemptFailures = Object.keys(failures) as AttemptFailure[];

/** Why a receiver gave no complete answer. */
export type FailureCode = Exclude<AttemptFailure, 'status' | 'signing'>;

/** Undefined for a code that a newer node has recorded. */
export function textsOf(code: AttemptFailure): FailureTexts | undefined {
  return failures[code];
}
