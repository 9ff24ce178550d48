/** What a rehearsal has shown, in the form of a receiver check's report, with timings. */
import type { Outcome } from '@bellhop/partner/receiver-check';
import type { Static } from 'typebox';
import type { AttemptRecord } from '../../delivery/attempt.ts';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import {
  LONGEST_REHEARSAL_MS,
  MOST_REFUSED_FIRST,
  type Rehearsed,
} from '../../delivery/rehearse.ts';
import type { FoundDelivery } from '../../store/queue/read-deliveries.ts';
import { whyFailed } from '../deliveries/why-failed.ts';
import { like, story } from '../examples.ts';
import { orNull, reply } from '../forms.ts';
import { Type } from '../type.ts';
import { ReceiverCertification } from './certify-receiver.ts';

const { lines, ...ofReport } = ReceiverCertification.properties;
const ms = like(184, Type.Integer());

export const RehearsalReport = reply('RehearsalReport', {
  ...ofReport,
  cause: orNull(Type.String({ description: 'Why some webhooks were not sent.', examples: [null] })),
  timings: orNull(
    reply(
      'RehearsalTimings',
      { fastest_ms: ms, median_ms: ms, slowest_ms: ms },
      { description: 'Of the webhooks that were answered; null if none was.' },
    ),
  ),
  lines: Type.Array(
    reply('RehearsedWebhook', {
      ...lines.items.properties,
      name: like(story.deliveryId, 'The id of the delivery.'),
      title: like(
        `accepts that order ${story.order} was created`,
        'Completes the sentence "The receiver …".',
      ),
      status_code: orNull(like(200, Type.Integer())),
      duration_ms: orNull(like(12, Type.Integer({ description: 'Null if it was not sent.' }))),
    }),
    { description: 'One for each webhook, the oldest first. `failed` and `skipped` did not pass.' },
  ),
});
export type RehearsalReport = Static<typeof RehearsalReport>;

const ENDED = {
  out_of_time: `The rehearsal ended after ${LONGEST_REHEARSAL_MS / 1_000} seconds, before it was sent.`,
  none_accepted: `It was not sent, because none of the first ${MOST_REFUSED_FIRST} webhooks was accepted.`,
};

const CAUSES = {
  out_of_time: `The rehearsal ended after ${LONGEST_REHEARSAL_MS / 1_000} seconds, so the rest was not sent.`,
  none_accepted: `None of the first ${MOST_REFUSED_FIRST} webhooks was accepted, so the rest was not sent.`,
};

export function reportOn(
  found: readonly FoundDelivery[],
  { url, form, startedAtMs, durationMs, attempts, ended }: Rehearsed,
): RehearsalReport {
  const lines = found.map((one, at) => lineOf(one, attempts[at], form, ended ?? 'out_of_time'));
  const count = (wanted: Outcome) => lines.filter(({ outcome }) => outcome === wanted).length;
  const passed = count('passed');
  return {
    url,
    form,
    started_at: new Date(startedAtMs).toISOString(),
    duration_ms: durationMs,
    verdict: passed === lines.length ? 'passed' : 'failed',
    passed,
    warned: 0,
    failed: count('failed'),
    skipped: count('skipped'),
    cause: ended && CAUSES[ended],
    timings: timingsOf(lines),
    lines,
  };
}

type Line = RehearsalReport['lines'][number];

function lineOf(
  { seq, event_id, type, partner_order_id }: FoundDelivery,
  attempt: AttemptRecord | undefined,
  form: Rehearsed['form'],
  ended: keyof typeof ENDED,
): Line {
  return {
    name: deliveryId(seq),
    group: 'accepts',
    title: `accepts that order ${partner_order_id} was ${type}`,
    sent: `The webhook of event ${event_id}, body form ${form}, signed again, with the header X-Bellhop-Rehearsal: 1.`,
    expected: 'Any status from 200 to 299.',
    why: 'Any 2xx counts as delivered. After anything else, a delivery is sent again later.',
    ...(attempt ? resultOf(attempt) : { ...NOTHING, outcome: 'skipped', got: ENDED[ended] }),
  };
}

const NOTHING = {
  status_code: null,
  duration_ms: null,
  fix: 'Solve what the other lines show, then send it again.',
};

function resultOf(
  attempt: AttemptRecord,
): Pick<Line, 'outcome' | 'got' | 'fix' | 'status_code' | 'duration_ms'> {
  const { outcome, status_code, duration_ms, error, failure_code } = attempt;
  const timed = { status_code, duration_ms };
  if (outcome === 'delivered') {
    const got = `${status_code} after ${duration_ms} ms.`;
    return { ...timed, outcome: 'passed', got, fix: 'Nothing.' };
  }
  if (failure_code === 'aborted') {
    const got = 'It was sent, but the rehearsal ended before it was answered.';
    return {
      ...timed,
      outcome: 'failed',
      got,
      fix: 'Answer 200 immediately, and do the work afterwards.',
    };
  }
  const got = failure_code === 'status' ? `${status_code} after ${duration_ms} ms.` : (error ?? '');
  return { ...timed, outcome: 'failed', got, fix: whyFailed(attempt, 'anotherTest') };
}

function timingsOf(lines: readonly Line[]): RehearsalReport['timings'] {
  const answered = lines.flatMap(({ status_code, duration_ms }) =>
    status_code === null || duration_ms === null ? [] : [duration_ms],
  );
  const sorted = answered.sort((a, b) => a - b);
  const [fastest_ms] = sorted;
  const median_ms = sorted[sorted.length >> 1];
  const slowest_ms = sorted.at(-1);
  if (fastest_ms === undefined || median_ms === undefined || slowest_ms === undefined) return null;
  return { fastest_ms, median_ms, slowest_ms };
}
