/** What `bellhop trigger --watch` prints about each attempt, for people or as JSON. */
import { type Attempt, attemptsInAll, type Delivery, type Reporter } from './follow-delivery.ts';
import { briefSpan, clockTime, jsonText, paint, printable, progress } from './terminal.ts';

export function jsonReporter(): Reporter {
  return {
    attempt({ id }, attempt, skippedMs) {
      const simulated = skippedMs === undefined ? {} : { simulated_seconds: inSeconds(skippedMs) };
      const shown = { kind: 'attempt', delivery_id: id, ...shownOf(attempt), ...simulated };
      console.log(jsonText(shown));
    },
    settled: ({ id, state, attempts_made, why }) =>
      console.log(jsonText({ kind: 'settled', delivery_id: id, state, attempts_made, why })),
    waiting() {},
    stuck: ({ id }) => console.error(stuckText(id)),
  };
}

/** Leaves out the signature. */
function shownOf({ number, started_at, duration_ms, outcome, status_code, error }: Attempt) {
  return { number, started_at, duration_ms, outcome, status_code, error };
}

/** `several`: each line says which delivery it is about. */
export function peopleReporter(several: boolean): Reporter {
  const line = progress();
  const numbered = attemptColumn();
  const say = (delivery: Delivery, text: string) => {
    line.clear();
    console.log(several ? `${delivery.id}  ${text}` : text);
  };
  return {
    attempt(delivery, attempt, skippedMs) {
      const at = skippedMs === undefined ? undefined : simulatedTime(skippedMs);
      say(delivery, attemptLine(attempt, numbered(delivery, attempt), at));
    },
    settled(delivery) {
      const { state, attempts_made: made, why } = delivery;
      const after = `${state} after ${made} attempt${made === 1 ? '' : 's'}`;
      const because = why && state !== 'delivered' ? `. ${printable(why)}` : '';
      say(delivery, paint(state === 'delivered' ? 'green' : 'red', after) + because);
    },
    waiting: (text) => line.show(text),
    stuck: (delivery) => say(delivery, paint('yellow', stuckText(delivery.id))),
  };
}

/** "attempt 9 of 22 ", "attempt 10 of 22": padded, so that the following columns are aligned. */
function attemptColumn(): (delivery: Delivery, attempt: Attempt) => string {
  let width = 0;
  return (delivery, { number, outcome }) => {
    if (outcome === 'delivered') return `attempt ${number}`.padEnd(width);
    const inAll = Math.max(attemptsInAll(delivery), number);
    width = Math.max(width, `attempt ${inAll} of ${inAll}`.length);
    return `attempt ${number} of ${inAll}`.padEnd(width);
  };
}

/** So that the following columns are aligned. */
const SIMULATED_WIDTH = '+6 d 23 h 59 min 59 s'.length;

/** "+12 h": how long after the first attempt it would have been without --fast-forward. */
function simulatedTime(skippedMs: number): string {
  return `+${briefSpan(inSeconds(skippedMs))}`.padEnd(SIMULATED_WIDTH);
}

function inSeconds(ms: number): number {
  return Math.round(ms / 1_000);
}

type ShownAttempt = Pick<
  Attempt,
  'started_at' | 'duration_ms' | 'outcome' | 'status_code' | 'failure_code' | 'error'
>;

/** `at` is the time of the attempt in words. */
export function attemptLine(
  attempt: ShownAttempt,
  which: string,
  at: string = clockTime(new Date(attempt.started_at)),
): string {
  const { duration_ms, outcome, error } = attempt;
  const answer = answerOf(attempt);
  const coloured = paint(outcome === 'delivered' ? 'green' : 'red', answer);
  const words = [
    which,
    paint('dim', at),
    `${coloured} in ${duration_ms} ms`,
    ...(error && !isAnswered(attempt) ? [printable(error)] : []),
  ];
  return words.join('  ');
}

/** A reply that was never finished is not an answer, although it has a status. */
function isAnswered({ outcome, failure_code }: ShownAttempt): boolean {
  return outcome === 'delivered' || failure_code === 'status';
}

function answerOf(attempt: ShownAttempt): string {
  const { status_code } = attempt;
  if (status_code === null) return 'no answer';
  return isAnswered(attempt) ? `answered ${status_code}` : `unfinished ${status_code}`;
}

function stuckText(id: string): string {
  return `${id} is due, but nothing attempts it. Its midoffice is paused or busy, an earlier event of the same order goes first, or no process with the role "delivery" is running.`;
}
