/** Tells the support team, often on the phone with the partner, why an attempt failed and what to do. */
import type { AttemptFailure } from '../../delivery/attempt.ts';
import { asksForHttps } from '../../receiver/other-protocol.ts';

interface Failure {
  status_code: number | null;
  /** Null when delivered. */
  failure_code: AttemptFailure | null;
  error: string | null;
  /** The first 4 KiB. */
  reply_excerpt?: string | null;
}

/** `isOver`: the delivery is exhausted or cancelled, so no automatic attempt follows. */
export function whyFailed(failure: Failure, { isOver = false } = {}): string {
  const why = explained(failure);
  return isOver && why.endsWith(RETRIED) ? why.slice(0, -RETRIED.length) + NOT_RETRIED : why;
}

/** Ends the explanation of a failure that may go away. True only while there are attempts left. */
const RETRIED = ' Bellhop retries it automatically.';
const NOT_RETRIED =
  ' There are no automatic attempts left: once the problem is solved, retry the delivery in the console.';

function explained({ status_code, failure_code, error, reply_excerpt }: Failure): string {
  const isAnswer = failure_code === null || failure_code === 'status';
  if (isAnswer && status_code !== null) return whyAnswered(status_code, reply_excerpt ?? '');
  const known = failure_code === null ? undefined : BY_CODE[failure_code];
  if (known !== undefined) return known;
  return `${error ?? ''} If it keeps failing, ask the partner to check the receiver's log at the time of the attempt.${RETRIED}`.trim();
}

const EXPECTS_TLS =
  "expects TLS, but got plain HTTP. If the midoffice's URL starts with http, change it to https. If it starts with https already, something in front of the receiver decrypts the call and passes it on without TLS; the partner has to correct that.";

/** Some failures are missing: only the status of the reply or the error itself can explain those. */
const BY_CODE: Readonly<Partial<Record<AttemptFailure, string>>> = {
  dns: "The host name in the receiver's URL has no address. Check the name for typos; if it is correct, the partner has to fix its DNS. Then retry.",
  blocked_address:
    "The receiver's host resolves to an address that is not public (a private network, for example), and webhooks are never sent there. Ask the partner for a URL that is reachable from the internet, or ask an operator to list the address in BELLHOP_<ENV>_RECEIVER_ALLOW.",
  plain_http:
    "The receiver's URL starts with http, which works only for addresses that an operator has listed. Ask the partner for an https URL.",
  reserved_port:
    "The receiver's URL has a port that belongs to another service. Ask the partner for a URL with port 443, or with a port from 1024 up.",
  connection_refused:
    "The receiver's machine answered, but nothing listens on the URL's port. Ask the partner whether the receiver is running, and whether the port is correct.",
  tls_closed:
    'The receiver closed the connection before TLS was established. Ask the partner to check the TLS configuration: the receiver must support TLS 1.2 or later and must not require a client certificate.',
  connection_reset:
    'The receiver accepted the connection and closed it without a complete reply. A program that crashes or restarts does this, and so does a firewall that blocks the call, or a server that expects https where the URL says http. Ask the partner to check the log at the time of the attempt.',
  unreachable:
    "The receiver's address is unreachable: its machine or its network is down. Ask the partner whether it is up.",
  connect_timeout:
    'The receiver did not accept the connection in time: it is down or overloaded, or a firewall blocks our calls. Ask the partner whether our addresses are allowed.',
  unfinished_reply:
    'The receiver started its reply but did not finish it in time. Ask the partner to answer 200 immediately and do the work afterwards.',
  timeout:
    'The receiver got the webhook but did not answer in time. Ask the partner to answer 200 immediately and do the work afterwards.',
  certificate_self_signed:
    'The receiver has a self-signed certificate, which anybody could make. The partner needs one from a public certificate authority; some are free.',
  certificate_untrusted:
    "The receiver's certificate does not lead to a public certificate authority. Most often, the server does not send the intermediate certificates: ask the partner to install the full chain.",
  certificate_expired:
    "The receiver's certificate has expired. The partner has to renew it; nothing needs to change here.",
  certificate_not_yet_valid:
    "The receiver's certificate is valid only from a later date. The partner has to install a valid one.",
  certificate_wrong_name:
    "The receiver's certificate is for another host name than the one in the URL. Either the midoffice's URL is wrong, or the partner needs a certificate for this name.",
  no_tls:
    'The URL starts with https, but the receiver does not speak TLS on this port. Check the port with the partner.',
  https_only: `The receiver ${EXPECTS_TLS}`,
  http2_only:
    'The receiver accepts only HTTP/2, but webhooks are sent over HTTP/1.1. Ask the partner to enable HTTP/1.1 as well, in the receiver or in a proxy in front of it.',
  tls: 'The TLS handshake with the receiver failed. Ask the partner to check the TLS configuration: the receiver must support TLS 1.2 or later and have a certificate from a public authority.',
  protocol:
    'The reply is not valid HTTP: the port may belong to another program, or a device in between damages replies. Check the URL and its port with the partner.',
  bad_url: "The midoffice's URL is not valid. Correct it in the midoffice, then retry.",
  aborted: `The attempt was aborted because this server was stopping.${RETRIED}`,
  signing: `The webhook could not be signed, because the midoffice's signing key cannot be read. The receiver is not at fault: tell the operator of this server, whose log has the details.${RETRIED}`,
};

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'could not read the webhook. Compare the body below with what the partner expects: the body form of the midoffice (data, flat or both) may be wrong.',
  401: 'says that the webhook is not authorised. Most often, it verifies the signature with another API key than the one that the midoffice signs with, or something in front of it requires a password. Check with the partner which key it uses.',
  403: 'forbids the call. Either it verifies the signature with another API key than the one that the midoffice signs with, or a firewall in front of it blocks our addresses. Check both with the partner.',
  404: 'has nothing at this path. Compare the URL of the midoffice with the partner, letter by letter.',
  405: 'does not accept POST at this path. Compare the URL of the midoffice with the partner: it is not the URL of a webhook receiver.',
  408: `timed out while waiting for the request. Ask the partner whether its server is overloaded.${RETRIED}`,
  410: 'says that this path no longer exists. Ask the partner for the new URL and enter it in the midoffice.',
  413: 'says that the webhook is too large, although it is well below 4 KiB. Ask the partner to check the limit of its server.',
  415: 'does not accept application/json. Ask the partner to accept it.',
  422: 'could not process the webhook. Compare the body below with what the partner expects: the body form of the midoffice (data, flat or both) may be wrong.',
  426: 'demands another protocol, but webhooks are sent over HTTP/1.1. Ask the partner to accept that.',
  429: `gets too many webhooks at a time. Lower max_in_flight of the midoffice, set its max_per_second, or ask the partner to raise its limit.${RETRIED}`,
  500: `failed while it processed the webhook. The partner can find the cause in its own log at the time of the attempt.${RETRIED}`,
  501: 'does not implement this call. Compare the URL of the midoffice with the partner.',
  505: 'does not support HTTP/1.1, over which webhooks are sent. Ask the partner to accept it.',
};

function whyAnswered(status: number, reply: string): string {
  if (asksForHttps(status, reply)) return `The receiver answered ${status}: it ${EXPECTS_TLS}`;
  const known = BY_STATUS[status];
  if (known) return `The receiver answered ${status}: it ${known}`;
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}, a redirect, and Bellhop does not follow redirects. Ask the partner for the address that it leads to, and enter that in the midoffice.`;
  }
  if (status >= 400 && status < 500) {
    return `The receiver answered ${status}: it refuses the webhook. Its reply below may say why; if not, the partner's log does.`;
  }
  if (status >= 502 && status <= 504) {
    return `The receiver answered ${status}: the server in front of it is up, but the program behind it is down or too slow. Tell the partner.${RETRIED}`;
  }
  if (status >= 500 && status < 600) {
    return `The receiver answered ${status}: it failed while it processed the webhook. The partner can find the cause in its own log.${RETRIED}`;
  }
  return `The receiver answered ${status}; only 200 to 299 count as delivered. Ask the partner to answer 200.`;
}
