/**
 * Certifies a receiver: reach it → run every case, one request at a time → judge the replies as a whole. If
 * the rest is pointless (the receiver is gone, far too slow, or redirects), the run stops, and the
 * remaining lines are skipped with a reason.
 */
import { inWords, isAccepted, isGone, isRedirect, isTimeout } from './answer.ts';
import { answersLine } from './cases/answers.ts';
import { repliesObservations } from './cases/replies.ts';
import type { Answered, Failed } from './exchange.ts';
import type { CheckedForm } from './forms.ts';
import type { Case, Finding, LineTexts } from './line.ts';
import { casesFor } from './lines.ts';
import { type Report, type ReportLine, reportLine, reportOf } from './report.ts';
import { createSender, type Sender, type SenderOptions } from './sender.ts';
import { isAcceptedGenuine, sharedRefusal } from './shared-refusal.ts';

export interface CheckOptions extends SenderOptions {
  /** What the receiver must read; both by default, as the specification requires. */
  form?: CheckedForm;
  /** Names of the wanted lines; all by default. */
  only?: readonly string[] | undefined;
  /** Called before and after each line is judged. */
  onStart?(name: string): void;
  onLine?(line: ReportLine): void;
}

/** Each costs the whole time-out, and after this many the result is clear. */
const MOST_TIMEOUTS = 3;

/** Parts of a key with at least this many characters are hidden. */
const LEAST_TELLING = 4;

const WHOLE_EVENT = {
  type: 'created',
  agreementNumber: 'check-agreement',
  status: 'check',
} as const;
const OUT_OF_TIME = 'The check as a whole ran out of time.';
const ACCEPTS_NOTHING =
  'No genuine webhook was accepted, so this would prove nothing. Fix that first.';

export async function checkReceiver(options: CheckOptions): Promise<Report> {
  const { url, form = 'both', only } = options;
  const startedMs = performance.now();
  const started_at = new Date().toISOString();
  const sender = createSender(options);
  const lines: ReportLine[] = [];
  const isWanted = ({ name }: LineTexts) => !only || only.includes(name);
  const tell = (line: ReportLine) => {
    const values = Object.values(options.headers ?? {});
    const got = withoutKeys(withoutKeys(line.got, options.keys), values, '(a header)');
    const hidden = { ...line, got };
    lines.push(hidden);
    options.onLine?.(hidden);
  };

  options.onStart?.(answersLine.name);
  const reached = await reach(sender, form);
  let stopped = whyStop(reached, options.signal);
  if (isWanted(answersLine)) tell(answersLineFor(reached));

  for (const one of casesFor(form).filter(isWanted)) {
    options.onStart?.(one.name);
    const hasFailed = lines.some(({ outcome }) => outcome === 'failed');
    const skip = stopped ?? (isPointless(one, sender, hasFailed) ? ACCEPTS_NOTHING : undefined);
    if (skip !== undefined) {
      tell(reportLine(one, 'skipped', skip));
      continue;
    }
    const finding = await one.run(sender);
    if (options.signal?.aborted) {
      stopped = OUT_OF_TIME;
      tell(reportLine(one, 'skipped', stopped));
      continue;
    }
    tell(judged(one, finding));
    stopped = await whyStopAfter(one, sender, options.signal);
  }

  for (const one of repliesObservations.filter(isWanted)) {
    const finding = one.judge(sender);
    tell(finding ? judged(one, finding) : reportLine(one, 'skipped', stopped ?? ACCEPTS_NOTHING));
  }
  const duration_ms = Math.round(performance.now() - startedMs);
  const cause = reached.kind === 'failed' ? reached.message : (stopped ?? sharedRefusal(sender));
  return reportOf({ url, form, started_at, duration_ms, cause: cause ?? null }, lines);
}

/**
 * The first webhook. During a rotation the receiver may have either key, and it may read only one form. All
 * later webhooks use the key and form that it accepts here. If it accepts none, it gets one with every field, because
 * it may fail where one is missing.
 */
async function reach(sender: Sender, form: CheckedForm): Promise<Answered | Failed> {
  const forms = form === 'both' ? (['data', 'flat'] as const) : [form];
  let first: Answered | Failed | undefined;
  for (const tried of forms) {
    for (const key of sender.keys) {
      Object.assign(sender, { form: tried, key });
      const outcome = await sender.post(sender.compose());
      first ??= outcome;
      if (isAccepted(outcome) || outcome.kind === 'failed' || isRedirect(outcome)) return outcome;
    }
  }
  Object.assign(sender, { form: forms[0], key: sender.keys[0] });
  await sender.post(sender.compose({ form, event: WHOLE_EVENT }));
  return first as Answered | Failed;
}

function answersLineFor(outcome: Answered | Failed): ReportLine {
  if (isTimeout(outcome)) return reportLine(answersLine, 'skipped', inWords(outcome));
  if (outcome.kind === 'answered') return reportLine(answersLine, 'passed', inWords(outcome));
  const { fix = answersLine.fix } = outcome;
  return reportLine({ ...answersLine, fix }, 'failed', inWords(outcome));
}

function whyStop(outcome: Answered | Failed, signal?: AbortSignal): string | undefined {
  if (signal?.aborted) return OUT_OF_TIME;
  if (isTimeout(outcome)) return 'The receiver did not answer in time; see in-time.';
  if (isGone(outcome)) return 'The receiver cannot be reached; see answers.';
  if (isRedirect(outcome)) return 'The receiver redirects, which is not followed; see no-redirect.';
  return undefined;
}

async function whyStopAfter(
  { name }: Case,
  sender: Sender,
  signal: AbortSignal | undefined,
): Promise<string | undefined> {
  const late = sender.exchanged.filter(({ outcome }) => isTimeout(outcome)).length;
  if (late >= MOST_TIMEOUTS)
    return `The receiver did not answer in time ${late} times; see in-time.`;
  const last = sender.exchanged.at(-1);
  if (!last || !isGone(last.outcome)) return undefined;
  // One broken connection does not mean that the receiver is down.
  const probe = await sender.post(sender.compose());
  if (signal?.aborted) return OUT_OF_TIME;
  return isGone(probe) ? `The receiver has not answered since ${name}.` : undefined;
}

function judged(texts: LineTexts, { passed, warned, got }: Finding): ReportLine {
  return reportLine(texts, passed ? 'passed' : warned ? 'warned' : 'failed', got);
}

/** A receiver that accepts nothing may refuse everything for the same reason, whatever the webhook says. */
function isPointless({ group }: Case, sender: Sender, hasFailed: boolean): boolean {
  if (sender.exchanged.some(isAcceptedGenuine)) return false;
  return group !== 'accepts' || (hasFailed && sharedRefusal(sender) !== undefined);
}

/** A reply may contain the key, or a part of it at its cut. Reports are passed on, so it is removed. */
export function withoutKeys(text: string, keys: readonly string[], name = '(the API key)'): string {
  let hidden = text;
  for (const key of keys) {
    hidden = hidden.replaceAll(key, name);
    for (let length = key.length - 1; length >= LEAST_TELLING; length--) {
      hidden = hidden.replace(`${key.slice(0, length)}…`, `${name}…`);
    }
  }
  return hidden;
}
