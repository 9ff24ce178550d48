/**
 * Says why an attempt failed and what to do. The support team reads it in the console, and the people of the partner in
 * the portal, so it says what has to be done and not who asks whom.
 */
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

/** What comes next, if the cause may pass by itself. */
const next = {
  /** Of a pending delivery. */
  retry: 'It is retried automatically.',
  /** Of a pending delivery to a midoffice that is paused. */
  paused: 'It is retried once webhooks to this receiver are resumed; they are paused.',
  /** Of one that is exhausted or cancelled. */
  nothing:
    'There are no automatic attempts left: once the problem is solved, send the webhook again.',
  /** Of a test, which belongs to no delivery. */
  anotherTest: 'Once the problem is solved, try again.',
  /** Of an attempt that others have followed. */
  unknown: '',
};

export function whyFailed(failure: Failure, follows: keyof typeof next = 'retry'): string {
  const { advice, mayPass } = explained(failure);
  return mayPass ? `${advice} ${next[follows]}`.trimEnd() : advice;
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

const BODY_FORM =
  'Compare the body that was sent with what the receiver expects: the body form (data, flat or both) may be wrong.';

const BY_STATUS: Readonly<Record<number, string>> = {
  400: `could not read the webhook. ${BODY_FORM}`,
  401: 'says that the webhook is not authorised. Most often, it verifies the signature with another API key than the one that signs, or something in front of it requires a password. Check which API key it uses.',
  403: 'forbids the call. Either it verifies the signature with another API key than the one that signs, or a firewall in front of it blocks the addresses that webhooks come from. Check both.',
  404: "has nothing at this path. Compare the receiver's URL with the real one, letter by letter.",
  405: "does not accept POST at this path. Check the receiver's URL: it is not the URL of a webhook receiver.",
  408: 'timed out while waiting for the request. Check whether its server is overloaded.',
  410: 'says that this path no longer exists. Enter the new URL.',
  413: 'says that the webhook is too large, although it is well below 4 KiB. Check the limit of its server.',
  415: 'does not accept application/json. Change it to accept that.',
  422: `could not process the webhook. ${BODY_FORM}`,
  426: 'demands another protocol, but webhooks are sent over HTTP/1.1. Change it to accept that.',
  429: 'gets too many webhooks at a time. Raise its limit; or API support sets a lower max_in_flight or max_per_second for it.',
  500: 'failed while it processed the webhook. Its own log has the cause, at the time of the attempt.',
  501: "does not implement this call. Check the receiver's URL.",
  505: 'does not support HTTP/1.1, over which webhooks are sent. Change it to accept that.',
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
    return ', a redirect, and redirects are not followed. Change the URL to the address that it leads to.';
  }
  if (status >= 400 && status < 500) {
    return ': it refuses the webhook. Its reply may say why; if not, its log does.';
  }
  if (status >= 502 && status <= 504) {
    return ': the server in front of it is up, but the program behind it is down or too slow.';
  }
  if (status >= 500 && status < 600) {
    return ': it failed while it processed the webhook. Its own log has the cause.';
  }
  return '; only 200 to 299 count as delivered. Answer 200.';
}
