/**
 * A receiver that answers every genuine webhook with the same error has one fault, not one for each line of
 * the report. Most often, it has another API key.
 */
import { isAccepted } from './answer.ts';
import { HTTPS_ONLY } from './failures.ts';
import { asksForHttps } from './other-protocol.ts';
import type { Exchanged, Sender } from './sender.ts';

const ANOTHER_KEY = 'the receiver probably verifies with another API key';
const WRONG_PATH = 'nothing takes webhooks at this path. Check the path in the URL.';

/** What a refusal means that does not depend on what the webhook says. */
const MEANINGS: Readonly<Record<number, string>> = {
  401: `${ANOTHER_KEY}. If it has the same key, check how it computes the signature, and its clock.`,
  403: `${ANOTHER_KEY}, or a firewall in front of it blocks the call.`,
  404: WRONG_PATH,
  405: WRONG_PATH,
  410: WRONG_PATH,
};

export function isAcceptedGenuine({ request, outcome }: Exchanged): boolean {
  return request.genuine && isAccepted(outcome);
}

/** One sentence for all; undefined if the answers differ, or if one was accepted. */
export function sharedRefusal(sender: Sender): string | undefined {
  const status = sharedStatus(sender);
  if (status === undefined) return undefined;
  if (wantsHttps(sender)) return HTTPS_ONLY.message;
  const why = MEANINGS[status] ?? "look for the reason in the receiver's own log.";
  return `Every genuine webhook got ${status}: ${why}`;
}

function sharedStatus({ exchanged }: Sender): number | undefined {
  const genuine = exchanged.filter(({ request }) => request.genuine);
  const statuses = new Set(
    genuine.map(({ outcome }) => (outcome.kind === 'answered' ? outcome.status : undefined)),
  );
  const [status] = statuses;
  return statuses.size === 1 && !genuine.some(isAcceptedGenuine) ? status : undefined;
}

function wantsHttps({ exchanged }: Sender): boolean {
  return exchanged.some(
    ({ outcome }) =>
      outcome.kind === 'answered' && asksForHttps(outcome.status, outcome.replyExcerpt),
  );
}
