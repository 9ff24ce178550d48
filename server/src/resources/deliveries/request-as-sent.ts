/**
 * An attempt's request as the receiver got it, without the signatures: they prove who sent it, so only the
 * service and the receiver may know them. Null if nothing was sent.
 */
import { composeBody } from '@bellhop/partner';
import type { AttemptRecord } from '../../delivery/attempt.ts';
import { headerSafe } from '../../delivery/sign.ts';
import type { DeliveryRow } from '../../store/schema.ts';

const MASKED = '…';

export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

type Event = Pick<
  DeliveryRow,
  'event_id' | 'type' | 'partner_order_id' | 'agreement_number' | 'status'
>;
type Attempted = Pick<
  AttemptRecord,
  'signature_timestamp' | 'signature_token' | 'url' | 'body_form' | 'user_agent' | 'failure_code'
>;

export function requestAsSent(delivery: Event, attempt: Attempted): SentRequest | null {
  const { signature_timestamp: timestamp, signature_token: token } = attempt;
  const { url, body_form, user_agent } = attempt;
  // The webhook could not be signed, so nothing was sent.
  if (attempt.failure_code === 'signing') return null;
  return {
    url,
    headers: {
      'content-type': 'application/json',
      'user-agent': user_agent,
      'webhook-id': headerSafe(delivery.event_id),
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${MASKED}`,
    },
    body: composeBody(
      {
        type: delivery.type,
        partnerOrderId: delivery.partner_order_id,
        ...(delivery.agreement_number !== null && { agreementNumber: delivery.agreement_number }),
        ...(delivery.status !== null && { status: delivery.status }),
      },
      body_form,
      { signature: MASKED, timestamp, token },
    ),
  };
}
