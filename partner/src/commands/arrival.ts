/** How `listen` shows a webhook: on one line for people, and as JSON for programs. */
import { printable } from '../printable.ts';
import { clockTime, jsonText, paint, shownId } from './terminal.ts';
import type { Arrival } from './webhook-listener.ts';

export function arrivalLine(arrival: Arrival, isTerminal?: boolean): string {
  const { at, verdict, answered, attempt, forwardError } = arrival;
  const answer = `answered ${answered}`;
  const time = paint('dim', clockTime(at));
  if (verdict === 'not_the_hook') {
    const what = `${arrival.method} ${printable(arrival.path)}`;
    return `${time}  ${paint('dim', `${what}  not the hook`)}  ${answer}`;
  }
  const words = [
    time,
    (arrival.type ?? '?').padEnd('cancelled'.length),
    shownId(arrival.partnerOrderId ?? '?', isTerminal),
    verdict === 'verified'
      ? paint('green', 'verified')
      : paint('red', `refused: ${verdict} (${arrival.message})`),
    ...(attempt === undefined ? [] : [`attempt ${attempt}`.padEnd('attempt 22'.length)]),
    answered < 300 ? answer : paint('yellow', answer),
    ...(forwardError ? [paint('red', `not forwarded to ${printable(forwardError)}`)] : []),
  ];
  return words.join('  ');
}

export function arrivalJson({ at, ...arrival }: Arrival): string {
  return jsonText({
    kind: 'webhook',
    at: at.toISOString(),
    method: arrival.method,
    path: arrival.path,
    verified: arrival.verdict === 'verified',
    refusal: arrival.verdict === 'verified' ? null : arrival.verdict,
    message: arrival.message ?? null,
    type: arrival.type ?? null,
    partner_order_id: arrival.partnerOrderId ?? null,
    webhook_id: arrival.webhookId ?? null,
    attempt: arrival.attempt ?? null,
    answered: arrival.answered,
    forward_error: arrival.forwardError ?? null,
  });
}
