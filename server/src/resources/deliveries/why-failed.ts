/** Tells the support team, often on the phone with the partner, why an attempt failed and what to do. */
import { asksForHttps } from '@bellhop/partner/receiver-check';
import {
  type AttemptFailure,
  type FailureTexts,
  failures,
  textsOf,
} from '../../receiver/failure-codes.ts';

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
  const { advice, mayPass } = explained(failure);
  if (!mayPass) return advice;
  return isOver
    ? `${advice} There are no automatic attempts left: once the problem is solved, retry the delivery in the console.`
    : `${advice} Bellhop retries it automatically.`;
}

type Explanation = Pick<FailureTexts, 'advice' | 'mayPass'>;

function explained({ status_code, failure_code, error, reply_excerpt }: Failure): Explanation {
  const isAnswer = failure_code === null || failure_code === 'status';
  if (isAnswer && status_code !== null) return whyAnswered(status_code, reply_excerpt ?? '');
  const known = isAnswer || failure_code === 'unknown' ? undefined : textsOf(failure_code);
  if (known) return known;
  // Only the error itself says what happened.
  return { ...failures.unknown, advice: `${error ?? ''} ${failures.unknown.advice}`.trim() };
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'could not read the webhook. Compare the body below with what the partner expects: the body form of the midoffice (data, flat or both) may be wrong.',
  401: 'says that the webhook is not authorised. Most often, it verifies the signature with another API key than the one that the midoffice signs with, or something in front of it requires a password. Check with the partner which key it uses.',
  403: 'forbids the call. Either it verifies the signature with another API key than the one that the midoffice signs with, or a firewall in front of it blocks our addresses. Check both with the partner.',
  404: 'has nothing at this path. Compare the URL of the midoffice with the partner, letter by letter.',
  405: 'does not accept POST at this path. Compare the URL of the midoffice with the partner: it is not the URL of a webhook receiver.',
  408: 'timed out while waiting for the request. Ask the partner whether its server is overloaded.',
  410: 'says that this path no longer exists. Ask the partner for the new URL and enter it in the midoffice.',
  413: 'says that the webhook is too large, although it is well below 4 KiB. Ask the partner to check the limit of its server.',
  415: 'does not accept application/json. Ask the partner to accept it.',
  422: 'could not process the webhook. Compare the body below with what the partner expects: the body form of the midoffice (data, flat or both) may be wrong.',
  426: 'demands another protocol, but webhooks are sent over HTTP/1.1. Ask the partner to accept that.',
  429: 'gets too many webhooks at a time. Lower max_in_flight of the midoffice, set its max_per_second, or ask the partner to raise its limit.',
  500: 'failed while it processed the webhook. The partner can find the cause in its own log at the time of the attempt.',
  501: 'does not implement this call. Compare the URL of the midoffice with the partner.',
  505: 'does not support HTTP/1.1, over which webhooks are sent. Ask the partner to accept it.',
};

function whyAnswered(status: number, reply: string): Explanation {
  const isServerError = status >= 500 && status < 600 && status !== 501 && status !== 505;
  const mayPass = status === 408 || status === 429 || isServerError || undefined;
  return { advice: `The receiver answered ${status}${adviceOn(status, reply)}`, mayPass };
}

function adviceOn(status: number, reply: string): string {
  if (asksForHttps(status, reply)) {
    return failures.https_only.advice.replace('The receiver', ': it');
  }
  const known = BY_STATUS[status];
  if (known) return `: it ${known}`;
  if (status >= 300 && status < 400) {
    return ', a redirect, and Bellhop does not follow redirects. Ask the partner for the address that it leads to, and enter that in the midoffice.';
  }
  if (status >= 400 && status < 500) {
    return ": it refuses the webhook. Its reply below may say why; if not, the partner's log does.";
  }
  if (status >= 502 && status <= 504) {
    return ': the server in front of it is up, but the program behind it is down or too slow. Tell the partner.';
  }
  if (status >= 500 && status < 600) {
    return ': it failed while it processed the webhook. The partner can find the cause in its own log.';
  }
  return '; only 200 to 299 count as delivered. Ask the partner to answer 200.';
}
