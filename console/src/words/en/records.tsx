/** What the shared parts say about webhooks, keys and limits. */
import type { ReactNode } from 'react';
import type {
  AttemptFailure,
  CallCode,
  CaseKind,
  DeliveryState,
  LimitRequestState,
  MailState,
  MidofficeHealth,
  ReceiverLine,
  UsageStep,
} from '../../api/types.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import { counted } from './counted.ts';

/** The lines of a receiver's check, by outcome. */
interface LineCounts {
  lines: number;
  passed: number;
  warned: number;
  failed: number;
  skipped: number;
}

/** What became of webhooks that were sent. */
interface SendingCounts {
  delivered: number;
  failed: number;
  /** How many failed for each reason. */
  reasons: ReadonlyMap<string, number>;
  open: number;
}

function earlierKeysWork(count: number): string {
  return count === 1 ? 'An earlier API key still works.' : `${count} earlier API keys still work.`;
}

export const records = {
  states: {
    deliveries: {
      pending: 'pending',
      delivered: 'delivered',
      exhausted: 'exhausted',
      cancelled: 'cancelled',
      unrouted: 'no receiver',
    } satisfies Record<DeliveryState, string>,
    acknowledged: 'exhausted, acknowledged',
    inFlight: 'in flight',
    retrying: 'pending, retrying',
    health: {
      untested: 'untested',
      healthy: 'healthy',
      failing: 'failing',
    } satisfies Record<MidofficeHealth, string>,
    paused: 'paused',
    borrowedKey: 'signs as another partner',
    mails: {
      waiting: 'waiting',
      sent: 'mailed',
      given_up: 'given up',
    } satisfies Record<MailState, string>,
    limitRequests: {
      open: 'waits for an answer',
      granted: 'granted',
      refused: 'refused',
    } satisfies Record<LimitRequestState, string>,
    exhausted: (count: number) => `${inDigits(count)} exhausted`,
    partners: { suspended: 'suspended', certified: 'certified', uncertified: 'not certified' },
    keys: {
      revoked: 'revoked',
      disabled: 'disabled',
      expired: 'expired',
      rotating: 'rotating',
      active: 'active',
    },
  },
  cases: {
    kinds: {
      accepted: 'Accepted',
      routed: 'Routed',
      unrouted: 'No receiver',
      attempt: 'Attempt',
      delivered: 'Delivered',
      exhausted: 'Given up',
      cancelled: 'Cancelled',
      action: 'Done by hand',
      change: 'Changed',
      note: 'Note',
      refused: 'Refused call',
      notice: 'Notice',
    } satisfies Record<CaseKind, string>,
    title: { order: (id: string) => `Order ${id}`, call: (id: string) => `Call ${id}` },
    incomplete: 'A case shows the newest of each kind. This one has more; the oldest are left out.',
    copy: 'Copy as text',
    copied: 'Copied.',
    answer: 'Answer:',
    itself: 'this call',
    alike: (count: number) => counted(count, 'more such call'),
  },
  calls: {
    /** What the answer means, by its code. */
    codes: {
      endpoint_exceeded_limit: 'over the limit',
      too_many_calls_in_flight: 'too many calls at once',
      incorrect_credentials: 'wrong credentials',
      no_auth_header: 'no credentials',
      invalid_auth_header: 'unreadable credentials',
      too_many_failed_logins: 'too many failed sign-ins',
      api_access_disabled: 'key or partner disabled',
      not_allowed_host: 'address not allowed',
      endpoint_not_found: 'endpoint not found or not granted',
      endpoint_not_active: 'endpoint not active',
      unexpected_method: 'method not allowed',
      body_too_large: 'body too large',
      upstream_error: 'booking core failed',
      upstream_timeout: 'booking core too slow',
      upstream_unreachable: 'booking core unreachable',
      upstream_broke_off: 'booking core broke off',
      upstream_not_configured: 'no booking core',
      caller_gone: 'caller hung up',
      malformed_request: 'not HTTP',
      request_timeout: 'request too slow',
      headers_too_large: 'headers too large',
      unknown: 'our own fault',
    } satisfies Record<CallCode, string>,
    /** One code has two meanings, which its status tells apart. */
    notGranted: 'endpoint not granted',
    notFound: 'endpoint not found',
    notARequest: 'not a valid request',
    requestId: 'request id',
    case: 'What happened around it',
    since: (count: number, time: ReactNode) => (
      <>
        {inDigits(count)} calls since {time}
      </>
    ),
    more: (count: number) => `and ${inDigits(count)} more like it`,
    /** The advice is written for partners, who read it in the portal and in their guide. */
    toPartner: (advice: string) => `Partners are told: “${advice}”`,
  },
  attempts: {
    none: 'No attempt was made.',
    attempt: (number: number) => `Attempt ${number}`,
    inFlight: (attempt: ReactNode) => <>{attempt} is in flight</>,
    paused: (attempt: ReactNode) => <>{attempt} waits: paused</>,
    later: (count: number, last: ReactNode) => (
      <>
        {count} more after that, the last {last}
      </>
    ),
    resultOf: (number: number) => `The result of attempt ${number}`,
    noReply: 'no reply',
    status: (code: number) => `HTTP ${code}`,
    exchange: 'Request and reply',
    formerUrl: 'to the URL that was set then',
    asCurl: (number: number) => `attempt ${number}`,
    headers: 'Headers sent',
    body: 'Body sent',
    signed: (at: ReactNode, token: ReactNode) => (
      <>
        Signed at {at} with token {token}
      </>
    ),
    reply: 'Reply',
    noReplyArrived: 'No reply arrived.',
    noBody: 'The reply had no body.',
    noBodyArrived: 'Nothing of its body arrived.',
    bodyPreview: 'Body preview',
  },
  noAnswer: 'No answer',
  /** Why an attempt failed, in a word or two. A failure by status is shown as the status. */
  failures: {
    timeout: 'time-out',
    connection_refused: 'refused',
    connection_reset: 'reset',
    connection_reused: 'closed when reused',
    dns: 'DNS',
    connect_timeout: 'connect time-out',
    unfinished_reply: 'unfinished reply',
    unreachable: 'unreachable',
    blocked_address: 'blocked address',
    plain_http: 'plain http',
    reserved_port: 'reserved port',
    bad_url: 'bad URL',
    tls: 'TLS',
    tls_closed: 'TLS closed',
    no_tls: 'no TLS',
    https_only: 'https only',
    certificate_self_signed: 'certificate self-signed',
    certificate_untrusted: 'certificate untrusted',
    certificate_expired: 'certificate expired',
    certificate_not_yet_valid: 'certificate not yet valid',
    certificate_wrong_name: 'certificate of another name',
    http2_only: 'HTTP/2 only',
    protocol: 'not HTTP',
    proxy_unreachable: 'our proxy unreachable',
    proxy_refused: 'our proxy refused',
    proxy_timeout: 'our proxy too slow',
    proxy_protocol: 'our proxy not HTTP',
    aborted: 'aborted',
    signing: 'not signed',
    unknown: 'unknown',
  } satisfies Record<Exclude<AttemptFailure, 'status'>, string>,
  sending: {
    title: 'Sending webhooks',
    progress: 'Attempted',
    counting: 'Counting…',
    untilHint: 'Leave empty to use the current time.',
    tryFirst: 'Try one first',
    tryFirstHint: 'The oldest goes alone. The others follow only if it is delivered.',
    failing: (name: string, since: ReactNode, result: string | undefined) => (
      <>
        {name} has accepted no webhook since {since}.{result && ` Last result: ${result}.`}
      </>
    ),
    ownFails: (since: ReactNode) => <>Your receiver has accepted no webhook since {since}.</>,
    trying: (order: string | undefined) =>
      `Trying the oldest one first${order ? `: order ${order}` : ''}.`,
    rest: (count: number) =>
      `The other ${counted(count, 'webhook')} will be sent only if it is delivered.`,
    tried: (order: string | undefined, result: string) =>
      `The oldest one${order ? `, order ${order},` : ''} was not delivered: ${result}.`,
    notTried: (order: string | undefined) =>
      `The oldest one${order ? `, order ${order},` : ''} was not attempted within a minute.`,
    restUnsent: (count: number) =>
      count === 1
        ? 'The other webhook was not sent.'
        : `The other ${inDigits(count)} were not sent.`,
    goOn: (count: number) => `Send the other ${count === 1 ? 'one' : inDigits(count)} anyway`,
    stop: 'Stop here',
    sentOf: (sent: number, total: number) => `${inDigits(sent)} of ${inDigits(total)} sent.`,
    left(sent: number, left: number): string {
      const done = `${counted(sent, 'webhook was', 'webhooks were')} sent.`;
      if (left === 0) return done;
      return `${done} The other ${left === 1 ? 'one was' : `${inDigits(left)} were`} not.`;
    },
    isPaused: 'The receiver is paused. Nothing is sent until it is resumed.',
    outcome: ({ delivered, failed, reasons, open }: SendingCounts) => {
      const each = [...reasons].map(([reason, count]) =>
        reasons.size === 1 ? reason : `${reason} (${inDigits(count)})`,
      );
      const why = failed > 0 ? `: ${each.join(', ')}` : '';
      const left = open > 0 ? `; ${inDigits(open)} not attempted yet` : '';
      return `${inDigits(delivered)} delivered, ${inDigits(failed)} failed${why}${left}.`;
    },
    later: (count: number) =>
      `${counted(count, 'webhook was', 'webhooks were')} not attempted within a minute. This goes on by itself.`,
    waiting: (count: number) =>
      count === 1
        ? 'The one that failed waits for its next attempt.'
        : `The ${inDigits(count)} that failed wait for their next attempts.`,
    inPart: 'This shows what became of the first 1,000.',
    announced: {
      delivered: 'Delivered.',
      exhausted: (result: string) =>
        `The last attempt failed: ${result}. The delivery is exhausted.`,
      failed: (attempt: number, result: string) => `Attempt ${attempt} failed: ${result}.`,
    },
  },
  receiverCheck: {
    title: 'Receiver check',
    groups: {
      accepts: 'Accepts what is genuine',
      refuses: 'Refuses what is not',
      survives: 'Survives what is broken',
      replies: 'Replies as it should',
    } satisfies Record<ReceiverLine['group'], string>,
    outcomes: {
      passed: 'passed',
      warned: 'warned',
      failed: 'failed',
      skipped: 'skipped',
    } satisfies Record<ReceiverLine['outcome'], string>,
    passed: ({ passed }: LineCounts) => `Passed: all ${passed} lines passed.`,
    passedWithWarning: ({ lines, passed, warned }: LineCounts) =>
      `Passed with a warning: ${passed} of ${lines} lines passed, ${warned} warned.`,
    notPassed: ({ lines, passed, warned, failed, skipped }: LineCounts) => {
      const warnings = warned > 0 ? `, ${warned} warned` : '';
      return `Not passed: ${failed} of ${lines} lines failed, ${skipped} were skipped, ${passed} passed${warnings}.`;
    },
    sent: 'Sent',
    expected: 'Expected',
    got: 'Got',
    skipped: 'Skipped',
    why: 'Why it matters',
    fix: 'How to fix it',
  },
  rehearsal: {
    title: 'Rehearsal',
    rehearse: 'Rehearse…',
    rehearseNew: 'Rehearse with this URL…',
    about:
      'Sends earlier webhooks once more, signed again and marked with the header X-Bellhop-Rehearsal: 1. It changes no delivery. The receiver should do nothing with them but answer.',
    url: 'URL',
    choose: 'Which webhooks?',
    choices: {
      newest: 'The newest 10',
      each: 'The newest of each type',
      order: 'Those of an order',
    },
    order: 'Order id',
    send: 'Rehearse',
    sending: 'Sending, and waiting for the answers. This takes up to half a minute.',
    again: 'Rehearse again',
    announced: {
      passed: 'The receiver accepted the rehearsal.',
      failed: 'The receiver did not accept the whole rehearsal.',
    },
    passed: ({ passed }: LineCounts) =>
      `Passed: ${passed === 1 ? 'the webhook was' : `all ${passed} webhooks were`} accepted.`,
    notPassed: ({ lines, passed, failed, skipped }: LineCounts) =>
      `Not passed: of ${counted(lines, 'webhook')}, ${failed} failed, ${skipped} were skipped, ${passed} were accepted.`,
    timings: (fastest: string, median: string, slowest: string) =>
      `Time to answer: fastest ${fastest}, median ${median}, slowest ${slowest}.`,
  },
  apiKeys: {
    newest: 'Newest',
    earlier: 'Earlier',
    until: (which: string, time: ReactNode, ago: ReactNode) => (
      <>
        {which}, until {time} ({ago})
      </>
    ),
    lastUsed: (ago: ReactNode) => <>last used {ago}</>,
    unused: 'no call during the overlap',
    usedLast: 'used last',
    earlierWork: earlierKeysWork,
  },
  rotation: {
    title: (keyId: string) => `Rotate key ${keyId}`,
    submit: 'Rotate key',
    overlap: 'How long does the current API key keep working?',
    noOverlap: 'None',
    atOnce:
      'The current API key stops working at once. Calls with it are refused until the new one is installed on all machines.',
    bothWork: (until: ReactNode) => (
      <>
        The current and the new API key both work until {until}. Until then, webhooks carry the
        signatures of both.
      </>
    ),
    tooMany:
      'No more API keys can overlap. End the earlier ones now, choose no overlap, or wait until one of them has ended.',
    earlier: 'Earlier API keys',
    earlierStop: (count: number) =>
      `${earlierKeysWork(count)} ${count === 1 ? 'It stops' : 'They stop'} at once, before the time that was set:`,
    earlierKeep: (count: number) =>
      `${earlierKeysWork(count)} ${count === 1 ? 'It keeps' : 'They keep'} working:`,
    endEarlier: (count: number) =>
      count === 1 ? 'End the earlier API key now' : 'End the earlier API keys now',
  },
  limits: {
    none: 'no limit',
    /** "400 per minute". */
    per: (requests: string, window: string) => `${requests} per ${window}`,
    usedLately: 'Used in the last 7 days',
    uncounted: 'not counted',
    used: (path: string) => `Used of ${path}`,
    usedOf: (used: string, requests: string) => `${used} of ${requests}`,
    oneBack: (when: string) => `one back ${when}`,
    fields: {
      limit: 'Limit',
      calls: 'Calls',
      callsPer: 'calls per',
      window: 'Window',
      otherWindow: 'another time…',
      seconds: 'Seconds',
      ofSeconds: 'seconds',
      wrong: 'Enter whole numbers from 1.',
      notCounted: 'Calls are not counted. The partner still sees these numbers.',
      meaning: (calls: number, window: string) =>
        `At most ${counted(calls, 'call')} in any ${window}.`,
    },
    trial: {
      title: 'Would this limit do?',
      reading: 'Trying it on the calls of the last 7 days…',
      noCalls: 'This endpoint was not called in the last 7 days.',
      none: (calls: number) =>
        `It would have refused none of the ${counted(calls, 'call')} of the last 7 days.`,
      some: (range: string, calls: number) =>
        `It would have refused ${range} of the ${counted(calls, 'call')} of the last 7 days.`,
      exactly: (refused: number) => inDigits(refused),
      atMost: (most: number) => `at most ${inDigits(most)}`,
      between: (least: number, most: number) => `between ${inDigits(least)} and ${inDigits(most)}`,
      why: 'Calls are counted by the hour, so this may be a range. Calls that were refused at the time count too.',
      hours: (count: number) => `${counted(count, 'hour')} in which it could have refused calls`,
      newestFirst: 'The newest hour first',
      ofHour: (range: string, calls: number) => `${range} of ${counted(calls, 'call')}`,
    },
  },
  usage: {
    title: 'Usage',
    step: 'Step of the usage charts',
    steps: { hour: 'Hours', day: 'Days' } satisfies Record<UsageStep, string>,
    csv: 'CSV',
    /** Only spoken, after "CSV". */
    csvOf: {
      hour: 'of the usage by hour',
      day: 'of the usage by day',
    } satisfies Record<UsageStep, string>,
    none: (days: number) => `No calls in the last ${days} days.`,
    noneAdvice: 'Calls show up here about 10 seconds after they were made.',
    endpoint: 'Endpoint',
    allEndpoints: 'All endpoints',
    calls: {
      hour: 'Calls per hour',
      day: 'Calls per day, in UTC',
    } satisfies Record<UsageStep, string>,
    inLast: (days: number, what: string) => `In the last ${days} days: ${what}.`,
    counts: (answered: string, failed: string, refused: string) =>
      `${answered} answered, ${failed} failed, ${refused} refused`,
    legend: { answered: 'answered', failed: 'failed', refused: 'refused by the limit' },
    columns: { answered: 'Answered', failed: 'Failed', refused: 'Refused' },
    refusedAndFailed: 'the refused and failed calls',
    peak: 'Highest share of a limit',
    atMost: (share: string) => `at most ${share}`,
    noLimitedCalls: 'no limited calls',
    share: 'Share',
    shareLegend: 'share of the limit that was used at once',
    fullLegend: 'all of it',
  },
};
