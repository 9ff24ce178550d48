/**
 * An attempt's request as the receiver got it, without the signatures: they prove who sent it, so only the
 * service and the receiver may know them. Null if nothing was sent.
 */
import { composeBody } from '@bellhop/partner';
import type { AttemptRecord } from '../../delivery/attempt.ts';
import { eventOf, headerSafe } from '../../delivery/sign.ts';
import type { SentEvent } from '../../delivery/stages.ts';

const MASKED = '…';

export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

type Attempted = Pick<
  AttemptRecord,
  'signature_timestamp' | 'signature_token' | 'url' | 'body_form' | 'user_agent' | 'failure_code'
>;

export function requestAsSent(event: SentEvent, attempt: Attempted): SentRequest | null {
  const { signature_timestamp: timestamp, signature_token: token } = attempt;
  const { url, body_form, user_agent } = attempt;
  // The webhook could not be signed, so nothing was sent.
  if (attempt.failure_code === 'signing') return null;
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': user_agent,
      'webhook-id': headerSafe(event.event_id),
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${MASKED}`,
    },
    body: composeBody(eventOf(event), body_form, { signature: MASKED, timestamp, token }),
  };
}
