/** What an answer means, and how to describe it. */
import type { Answered, Failed } from './exchange.ts';
import { isTimeout as wasTooSlow } from './failures.ts';
import type { Finding } from './line.ts';

type Outcome = Answered | Failed;

/** As for deliveries: any 2xx. A line of its own checks for 200. */
export function isAccepted(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 200 && outcome.status < 300;
}

export function isRefused(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 400 && outcome.status < 500;
}

export function isRedirect(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.status >= 300 && outcome.status < 400;
}

export function isTimeout(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && wasTooSlow(outcome.code);
}

/** The receiver is gone; later lines would only repeat that. */
export function isGone(outcome: Outcome): boolean {
  return outcome.kind === 'failed' && !wasTooSlow(outcome.code);
}

export function inWords(outcome: Outcome): string {
  if (outcome.kind === 'failed') return outcome.message;
  return `${outcome.status} after ${Math.round(outcome.durationMs)} ms.`;
}

export function accepted(outcome: Outcome): Finding {
  return { passed: isAccepted(outcome), got: withReply(outcome, isAccepted(outcome)) };
}

export function refused(outcome: Outcome): Finding {
  return { passed: isRefused(outcome), got: withReply(outcome, isRefused(outcome)) };
}

const EXCERPT_CHARACTERS = 200;

/** A wrong answer often says what went wrong. */
function withReply(outcome: Outcome, passed: boolean): string {
  if (passed || outcome.kind === 'failed') return inWords(outcome);
  const text = outcome.replyExcerpt.replace(/\s+/g, ' ').trim();
  if (text === '') return `${inWords(outcome)} The reply was empty.`;
  const excerpt = text.length > EXCERPT_CHARACTERS ? `${text.slice(0, EXCERPT_CHARACTERS)}…` : text;
  return `${inWords(outcome)} The reply: ${excerpt}`;
}
