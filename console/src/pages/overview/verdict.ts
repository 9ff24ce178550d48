/** How things are, in one sentence, and what to do about it. The worst comes first. */
import type { Stats } from '../../api/types.ts';
import type { VerdictTone } from '../../ui/page/Verdict.tsx';
import { spanOf } from '../../ui/text/durations.ts';
import { inDigits } from '../../ui/text/numbers.ts';
import { counted } from '../../words/en/counted.ts';
import { sum } from './figures.ts';

/** Webhooks that wait longer than this, although their receivers answer, are worth a look. */
const LONG_WAIT_SECONDS = 300;

export interface Verdict {
  tone: VerdictTone;
  sentence: string;
  advice: Advice[];
}

export interface Advice {
  /** The words that are a link, and where they lead. */
  link: string;
  to:
    | { page: 'midoffice'; id: string }
    | { page: 'key'; id: string }
    | { page: 'deliveries'; search: { state: 'unrouted' } | { only: 'unacknowledged' } };
  before: string;
  after: string;
}

export function verdictOf(stats: Stats, nowMs: number): Verdict {
  return { ...judge(stats, nowMs), advice: adviceFor(stats) };
}

function judge(stats: Stats, nowMs: number): Omit<Verdict, 'advice'> {
  const { failing_count, unstable_count, pending, oldest_pending_at } = stats;
  const { paused_midoffices, span } = stats;
  const waitedSeconds = oldest_pending_at
    ? Math.max(0, Math.round((nowMs - Date.parse(oldest_pending_at)) / 1_000))
    : 0;
  const waiting = pending
    ? `${counted(pending, 'webhook')} waiting, oldest ${spanOf(waitedSeconds)}`
    : 'nothing waits';
  if (failing_count > 0) {
    return { tone: 'bad', sentence: `${counted(failing_count, 'midoffice')} down, ${waiting}.` };
  }
  if (unstable_count > 0) {
    const unstable = `${counted(unstable_count, 'midoffice')} unstable`;
    return { tone: 'warn', sentence: `${unstable}, ${waiting}.` };
  }
  const paused = paused_midoffices.filter((midoffice) => midoffice.pending > 0).length;
  if (paused > 0) {
    return { tone: 'warn', sentence: `${counted(paused, 'midoffice')} paused, ${waiting}.` };
  }
  if (waitedSeconds > LONG_WAIT_SECONDS) {
    return { tone: 'warn', sentence: `No midoffice is down, but ${waiting}.` };
  }
  if (stats.exhausted > 0) {
    const open = `${counted(stats.exhausted, 'webhook')} exhausted and still open`;
    return { tone: 'warn', sentence: `No midoffice is down, but ${open}; ${waiting}.` };
  }
  const delivered = sum(stats.buckets, 'delivered');
  if (delivered === 0) {
    return { tone: 'calm', sentence: `No webhook was sent in the last ${span}; ${waiting}.` };
  }
  const sent = `${counted(delivered, 'webhook')} delivered in the last ${span}`;
  return { tone: 'good', sentence: `All is well: ${sent}, ${waiting}.` };
}

function adviceFor(stats: Stats): Advice[] {
  const advice: Advice[] = [];
  const [worst] = [...stats.failing_midoffices, ...stats.unstable_midoffices];
  if (worst) {
    advice.push({
      before: stats.failing_count + stats.unstable_count > 1 ? 'Start with' : 'See',
      link: worst.name,
      to: { page: 'midoffice', id: worst.id },
      after:
        worst.pending > 0
          ? `${waitFor(worst.pending)}. When its receiver is fixed, send a test event.`
          : ': when its receiver is fixed, send a test event.',
    });
  }
  const paused = stats.paused_midoffices.find(({ pending }) => pending > 0);
  if (paused) {
    advice.push({
      before: 'Resume',
      link: paused.name,
      to: { page: 'midoffice', id: paused.id },
      after: `once its receiver is ready${waitFor(paused.pending)}.`,
    });
  }
  const [most] = stats.exhausted_midoffices;
  if (stats.exhausted > 0) {
    advice.push({
      before: 'Send',
      link: counted(stats.exhausted, 'exhausted delivery', 'exhausted deliveries'),
      to: { page: 'deliveries', search: { only: 'unacknowledged' } },
      after: 'again, or acknowledge what needs nothing more.',
    });
  }
  if (most && most.id !== worst?.id) {
    advice.push({
      before: stats.exhausted_midoffices.length > 1 ? 'Begin with' : 'See',
      link: most.name,
      to: { page: 'midoffice', id: most.id },
      after: `: ${inDigits(most.exhausted)} of them.`,
    });
  }
  if (stats.unrouted > 0) {
    advice.push({
      before: 'Choose a midoffice for the partners of',
      link: `${counted(stats.unrouted, 'event')} without one`,
      to: { page: 'deliveries', search: { state: 'unrouted' } },
      after: 'on their pages; then send the events again.',
    });
  }
  const [limited] = stats.limited_keys ?? [];
  if (limited) {
    advice.push({
      before: `${limited.partner_name} was refused ${counted(limited.refused, 'time')} with its key`,
      link: limited.label ?? limited.key_id,
      to: { page: 'key', id: limited.key_id },
      after: ': raise the limit, or ask for fewer calls.',
    });
  }
  return advice;
}

function waitFor(pending: number): string {
  return `: ${counted(pending, 'webhook')} ${pending === 1 ? 'waits' : 'wait'} for it`;
}
