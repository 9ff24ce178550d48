/**
 * The catalogue of failed attempts: every code that an attempt can have, with its texts. The API, its documents and
 * docs/errors.md are made from it or compared with it. What a receiver's developers can do is in the partner package,
 * whose receiver check says it too.
 */
import { type ReceiverFailureTexts, receiverFailures } from '@bellhop/partner/receiver-check';

/** `meaning` is the error in the attempt's record, unless more is known than the code. */
export interface FailureTexts extends ReceiverFailureTexts {
  /** For whoever looks at the attempt: the support team in the console, or the partner's people in the portal. */
  advice: string;
  /** The next automatic attempt may succeed, although nobody does anything. */
  mayPass?: true;
}

/** `why`: what most often causes it. The advice is that, and then what the receiver's developers can do. */
function advised<Texts extends ReceiverFailureTexts & { fix: string }>(texts: Texts, why: string) {
  return { ...texts, advice: `${why} ${texts.fix}` };
}

const OUR_FAULT =
  'The receiver is not at fault and got nothing: the operator of this service has to solve it.';

export const failures = {
  status: {
    meaning: 'The receiver answered with a status other than 2xx.',
    advice: "Look at the status and the reply; if they do not say why, the receiver's log does.",
  },
  timeout: {
    ...receiverFailures.timeout,
    advice:
      'The receiver got the webhook but did not answer in time. Answer 200 immediately, and do the work afterwards.',
  },
  unfinished_reply: {
    ...receiverFailures.unfinished_reply,
    advice:
      'The receiver started its reply but did not finish it in time. Answer 200 immediately, and do the work afterwards.',
  },
  connect_timeout: {
    ...receiverFailures.connect_timeout,
    advice:
      'The receiver did not accept the connection in time: it is down or overloaded, or a firewall blocks the calls. Check that the receiver is up, and that its firewall allows the addresses that webhooks come from.',
  },
  dns: advised(receiverFailures.dns, "The host name in the receiver's URL has no address."),
  blocked_address: advised(
    {
      meaning: "The receiver's address is not public.",
      fix: 'Give the receiver an address that the internet can reach.',
    },
    "The receiver's host resolves to an address that is not public (a private network, for example), and webhooks go there only if the operator of this service allows it.",
  ),
  plain_http: advised(
    {
      meaning: "The receiver's URL does not start with https.",
      fix: 'Write https in the URL.',
    },
    "The receiver's URL starts with http, which works only for addresses that the operator of this service allows.",
  ),
  reserved_port: advised(
    {
      meaning: "The port in the receiver's URL belongs to another service.",
      fix: 'Use port 443, or one from 1024 on.',
    },
    "The receiver's URL has a port that belongs to another service.",
  ),
  bad_url: {
    meaning: 'The receiver URL is not a URL.',
    advice: "The receiver's URL is not valid. Correct it, then send the webhook again.",
  },
  connection_refused: advised(
    receiverFailures.connection_refused,
    "The receiver's machine answered, but nothing listens on the URL's port.",
  ),
  connection_reset: advised(
    receiverFailures.connection_reset,
    'The receiver accepted the connection and closed it without a complete reply. A program that crashes or restarts does this, and so does a firewall that blocks the call, or a server that expects https where the URL says http.',
  ),
  connection_reused: {
    meaning:
      'The receiver closed a connection that it had used before, without any reply to this webhook.',
    advice:
      'The webhook met the end of an idle connection, and was sent again at once on a new one; this uses no step of the retry schedule. A receiver that does it twice within a minute gets a new connection for each webhook for ten minutes. To avoid it, let the receiver keep idle connections open for at least 5 seconds, or answer with Connection: close.',
    mayPass: true,
  },
  unreachable: advised(
    receiverFailures.unreachable,
    "The receiver's address is unreachable: its machine or its network is down.",
  ),
  tls: advised(receiverFailures.tls, 'The TLS handshake with the receiver failed.'),
  tls_closed: advised(
    receiverFailures.tls_closed,
    'The receiver closed the connection before TLS was established.',
  ),
  no_tls: advised(
    receiverFailures.no_tls,
    'The URL starts with https, but the receiver does not speak TLS on this port.',
  ),
  https_only: {
    ...receiverFailures.https_only,
    advice:
      "The receiver expects TLS, but got plain HTTP. If the receiver's URL starts with http, change it to https. If it starts with https already, something in front of the receiver decrypts the call and passes it on without TLS; correct that.",
  },
  certificate_self_signed: advised(
    receiverFailures.certificate_self_signed,
    'The receiver has a self-signed certificate, which anybody could make.',
  ),
  certificate_untrusted: advised(
    receiverFailures.certificate_untrusted,
    "The receiver's certificate does not lead to a public certificate authority. Most often, the server does not send the full chain.",
  ),
  certificate_expired: advised(
    receiverFailures.certificate_expired,
    "The receiver's certificate has expired.",
  ),
  certificate_not_yet_valid: advised(
    receiverFailures.certificate_not_yet_valid,
    "The receiver's certificate is valid only from a later date.",
  ),
  certificate_wrong_name: advised(
    receiverFailures.certificate_wrong_name,
    "The receiver's certificate is for another host name than the one in the URL. If the URL is wrong, correct it.",
  ),
  http2_only: advised(
    receiverFailures.http2_only,
    'The receiver accepts only HTTP/2, but webhooks are sent over HTTP/1.1.',
  ),
  protocol: advised(
    receiverFailures.protocol,
    'The reply is not valid HTTP, or a device in between damages replies.',
  ),
  proxy_unreachable: {
    meaning: 'Our own proxy, through which webhooks go out, cannot be reached.',
    advice: `Webhooks go out through a proxy of the service, and it cannot be reached. ${OUR_FAULT}`,
    mayPass: true,
  },
  proxy_refused: {
    meaning: 'Our own proxy, through which webhooks go out, did not open the way to the receiver.',
    advice:
      'Webhooks go out through a proxy of the service, which did not open the way to the receiver, so the receiver got nothing. The log of the proxy says why: the operator of this service has to look. Only with a status from 502 to 504 may the receiver be down as well.',
    mayPass: true,
  },
  proxy_timeout: {
    meaning:
      'Our own proxy, through which webhooks go out, did not open the way to the receiver in time.',
    advice:
      'Webhooks go out through a proxy of the service, which did not open the way to the receiver in time, so the receiver got nothing. Check that the receiver is up, and that its firewall allows the addresses that webhooks come from. If other receivers have this failure as well, the operator of this service has to solve it.',
    mayPass: true,
  },
  proxy_protocol: {
    meaning: 'Our own proxy, through which webhooks go out, gave an answer that is not valid.',
    advice: `Webhooks go out through a proxy of the service, whose answer is not valid: another program may listen at its address. ${OUR_FAULT}`,
    mayPass: true,
  },
  aborted: {
    ...receiverFailures.aborted,
    advice: 'The attempt was aborted because the server that made it was stopping.',
    mayPass: true,
  },
  unknown: {
    ...receiverFailures.unknown,
    advice: "If it keeps failing, check the receiver's log at the time of the attempt.",
    mayPass: true,
  },
  signing: {
    meaning:
      'The webhook could not be signed: the signing key of the midoffice cannot be read. This is an error on the server; see its log for details.',
    advice: `The webhook could not be signed, because its signing key cannot be read. ${OUR_FAULT}`,
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
