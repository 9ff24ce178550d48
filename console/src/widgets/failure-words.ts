/** The result of a delivery's last attempt in a word or two. */
import type { AttemptFailure, Delivery, StatusClass } from '../api/types.ts';
import { entriesOf } from '../entries.ts';
import { words } from '../words/words.ts';

export const statusClasses = optionsOf({
  '2xx': '2xx',
  '3xx': '3xx',
  '4xx': '4xx',
  '5xx': '5xx',
  no_answer: words.noAnswer,
} satisfies Record<StatusClass, string>);

/** A failure by status is shown as the status. */
type Failure = Exclude<AttemptFailure, 'status'>;

const COMMON: ReadonlySet<Failure> = new Set([
  'timeout',
  'connection_refused',
  'connection_reset',
  'dns',
]);
const options = optionsOf<Failure>(words.failures);
export const commonFailures = options.filter(({ value }) => COMMON.has(value));
export const otherFailures = options.filter(({ value }) => !COMMON.has(value));

export function failureInWords(code: Failure): string {
  // A newer node may know more codes.
  return words.failures[code] ?? code;
}

/** How the last attempt ended: "401", "time-out". */
export function resultInWords(
  delivery: Pick<Delivery, 'last_status_code' | 'last_failure_code'>,
): string {
  const { last_status_code, last_failure_code } = delivery;
  // A reply that was never finished has a status too, but its status is not what went wrong.
  const hasAnswer = last_failure_code === null || last_failure_code === 'status';
  return hasAnswer ? String(last_status_code ?? words.noAnswer) : failureInWords(last_failure_code);
}

function optionsOf<Value extends string>(labels: Record<Value, string>) {
  return entriesOf(labels).map(([value, label]) => ({ value, label }));
}
