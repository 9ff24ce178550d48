/**
 * For the support team, who have the partner on the telephone: why an attempt failed, and what to do
 * about it.
 */
import type { AttemptFailure } from '../../delivery/stages.ts';

interface Failure {
  status_code: number | null;
  /** Null in attempts of before 0005. */
  failure_code: AttemptFailure | null;
  error: string | null;
}

/** `isOver`: no attempt follows by itself, since the delivery is exhausted or cancelled. */
export function whyFailed(failure: Failure, { isOver = false } = {}): string {
  const why = explained(failure);
  if (!isOver) return why;
  return why.endsWith(ITSELF) ? `${why.slice(0, -ITSELF.length)}. ${BY_HAND}` : why;
}

/** What is said of troubles that may pass; true only while attempts are still to come. */
const ITSELF = '; it is tried again by itself.';
const BY_HAND = 'No more attempts follow by themselves: once the trouble is over, send it again.';

function explained({ status_code, failure_code, error }: Failure): string {
  if (status_code !== null) return whyAnswered(status_code);
  const known = failure_code === null ? undefined : BY_CODE[failure_code];
  if (known !== undefined) return known;
  return `${error ?? ''} If it stays, ask the partner to look at its receiver's log at the time of the attempt${ITSELF}`.trim();
}

/** Not those that only the answer's status or the error itself can explain. */
const BY_CODE: Readonly<Partial<Record<AttemptFailure, string>>> = {
  dns: "The host name of the receiver's URL has no address, so there was nobody to call. Check the name for typos; if it is right, the partner has to repair its DNS. Then retry.",
  blocked_address:
    "The receiver's host resolves to an address that is not public (a private network, for example), and webhooks never go there. Ask the partner for a URL that the internet can reach, or have an operator list the address in BELLHOP_<ENV>_RECEIVER_ALLOW.",
  plain_http:
    'The receiver is called over http, which is open only to addresses that an operator listed. Ask the partner for an https URL.',
  reserved_port:
    "The receiver's URL names a port that belongs to other services. Ask the partner for a URL on port 443, or on one from 1024 on.",
  connection_refused:
    "The receiver's machine answered, but nothing listens on the port of the URL. Ask the partner whether its receiver is running, and whether the port is right.",
  tls_closed:
    'The receiver closed the connection before a secure one was made. Ask the partner to check its TLS set-up: it must offer TLS 1.2 or later, without asking for a client certificate.',
  connection_reset:
    'The receiver took the connection and closed it without a whole reply, as a program does that crashes or is restarted, or a firewall that drops the call. Ask the partner to look at its log at the time of the attempt.',
  unreachable:
    "No way leads to the receiver's address: its machine or its network is down. Ask the partner whether it is up.",
  connect_timeout:
    'The receiver did not even take the connection in time: it is down, overloaded, or a firewall drops our calls. Ask the partner whether our addresses are let in.',
  unfinished_reply:
    'The receiver began to answer but did not finish in time. Ask the partner to answer 200 at once and do the work afterwards.',
  timeout:
    'The receiver took the webhook but did not answer in time. Ask the partner to answer 200 at once and do the work afterwards.',
  certificate_self_signed:
    'The receiver shows a self-signed certificate, which anybody could make. The partner needs one from a public certificate authority, such as the free ones.',
  certificate_untrusted:
    "The receiver's certificate can't be traced to a public certificate authority. Most often its server does not send the intermediate certificates: ask the partner to install the full chain.",
  certificate_expired:
    "The receiver's certificate has expired. The partner has to renew it; nothing needs to change here.",
  certificate_not_yet_valid:
    "The receiver's certificate is valid only from a later date. The partner has to install the right one.",
  certificate_wrong_name:
    "The receiver's certificate is for another host name than the URL's. Either the URL in the midoffice is wrong, or the partner has to get a certificate for this name.",
  no_tls:
    'The URL says https, but the receiver does not speak TLS on this port. Check the port with the partner.',
  tls: 'The TLS handshake with the receiver failed. Ask the partner to check its TLS set-up: it must offer TLS 1.2 or later and a certificate from a public authority.',
  protocol:
    'Something answered, but not with a proper HTTP reply: the port may belong to another program, or a device in between breaks replies. Check the URL and its port with the partner.',
  bad_url: "The midoffice's URL can't be called. Correct it in the midoffice, then retry.",
  aborted:
    'The attempt was broken off because this server was stopping; it is tried again by itself.',
  signing:
    'The webhook could not be signed, because the signing key of the midoffice cannot be read. Nothing is wrong with the receiver: tell the operator of this server, whose log has the details; it is tried again by itself.',
};

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'could not read the webhook. Compare the body below with what the partner expects: the body form of the midoffice (data, flat or both) may be the wrong one.',
  401: 'says that the webhook is not authorised. Most often it verifies the signature with another API key than the midoffice signs with, or something in front of it wants a password: check with the partner which key it uses.',
  403: 'forbids the call. Either it verifies the signature with another API key than the midoffice signs with, or a firewall in front of it keeps our addresses out: check both with the partner.',
  404: 'knows nothing at this path. Compare the URL of the midoffice with the partner, letter by letter.',
  405: 'takes no POST at this path. Compare the URL of the midoffice with the partner: it is not that of the webhook receiver.',
  408: 'gave up waiting for the request. Ask the partner whether its server is overloaded; it is tried again by itself.',
  410: 'says that this path is gone for good. Ask the partner for the new URL and put it into the midoffice.',
  413: 'finds the webhook too large, though it is well below 4 KiB. Ask the partner to look at the limit of its server.',
  415: 'does not take application/json. Ask the partner to accept it.',
  422: 'could not make sense of the webhook. Compare the body below with what the partner expects: the body form of the midoffice (data, flat or both) may be the wrong one.',
  429: 'gets more than it wants at a time. Lower max_in_flight of the midoffice, or ask the partner to raise its limit; it is tried again by itself.',
  500: 'failed while it worked on the webhook. The partner finds the cause in its own log at the time of the attempt; it is tried again by itself.',
  501: 'does not implement this call. Compare the URL of the midoffice with the partner.',
};

function whyAnswered(status: number): string {
  const known = BY_STATUS[status];
  if (known) return `The receiver answered ${status}: it ${known}`;
  if (status >= 300 && status < 400) {
    return `The receiver answered ${status}, a redirect, and redirects are never followed. Ask the partner for the address that it leads to and put that into the midoffice.`;
  }
  if (status >= 400 && status < 500) {
    return `The receiver answered ${status}: it refuses the webhook. Its reply below may say why; if not, the partner's log does.`;
  }
  if (status >= 502 && status <= 504) {
    return `The receiver answered ${status}: the server in front of it is up, but the program behind it is down or too slow. Tell the partner; it is tried again by itself.`;
  }
  if (status >= 500 && status < 600) {
    return `The receiver answered ${status}: it failed while it worked on the webhook. The partner finds the cause in its own log; it is tried again by itself.`;
  }
  return `The receiver answered ${status}; only 200 to 299 count as delivered. Ask the partner to answer 200.`;
}
