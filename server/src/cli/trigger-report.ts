/** What `bellhop trigger --watch` prints about each attempt, for people or as JSON. */
import { type Attempt, attemptsInAll, type Delivery, type Reporter } from './follow-delivery.ts';
import { clockTime, paint, printable, progress } from './terminal.ts';

export function jsonReporter(): Reporter {
  return {
    attempt: ({ id }, attempt) =>
      console.log(JSON.stringify({ kind: 'attempt', delivery_id: id, ...shownOf(attempt) })),
    settled: ({ id, state, attempts_made, why }) =>
      console.log(JSON.stringify({ kind: 'settled', delivery_id: id, state, attempts_made, why })),
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
    attempt: (delivery, attempt) =>
      say(delivery, attemptLine(attempt, numbered(delivery, attempt))),
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

function attemptLine(attempt: Attempt, which: string): string {
  const { started_at, duration_ms, outcome, error } = attempt;
  const answer = answerOf(attempt);
  const coloured = paint(outcome === 'delivered' ? 'green' : 'red', answer);
  const words = [
    which,
    paint('dim', clockTime(new Date(started_at))),
    `${coloured} in ${duration_ms} ms`,
    ...(error && !isAnswered(attempt) ? [printable(error)] : []),
  ];
  return words.join('  ');
}

/** A reply that was never finished is not an answer, although it has a status. */
function isAnswered({ outcome, failure_code }: Attempt): boolean {
  return outcome === 'delivered' || failure_code === 'status';
}

function answerOf(attempt: Attempt): string {
  const { status_code } = attempt;
  if (status_code === null) return 'no answer';
  return isAnswered(attempt) ? `answered ${status_code}` : `unfinished ${status_code}`;
}

function stuckText(id: string): string {
  return `${id} is due, but nothing attempts it. Its midoffice is paused or busy, an earlier event of the same order goes first, or no process with the role "delivery" is running.`;
}
