/**
 * An attempt's request as the receiver got it, but for the signatures: those are proof of who sent
 * it, and stay between the service and the receiver. Nothing of it is kept but token and timestamp;
 * the rest is composed again, with the midoffice's URL and body form of that time.
 */
import { type BodyForm, composeBody, type EventType } from '@bellhop/partner';
import type { Kysely } from 'kysely';
import { headerSafe } from '../delivery/sign.ts';
import type { AttemptRow, DeliveryRow, Schema } from '../store/schema.ts';
import { VERSION } from '../version.ts';

const MASKED = '…';

export interface SentRequest {
  url?: string;
  headers: Record<string, string>;
  body: string;
}

interface Form {
  url?: string;
  body_form: string;
}

/** Tells how the midoffice was called at a time; what changed since is in the audit. */
export async function formsOf(
  db: Kysely<Schema>,
  midofficeId: string,
): Promise<(atMs: number) => Form> {
  const now = await db
    .selectFrom('midoffice')
    .select(['url', 'body_form'])
    .where('id', '=', midofficeId)
    .executeTakeFirst();
  const changes = await db
    .selectFrom('audit')
    .select(['at', 'before'])
    .where('subject', '=', midofficeId)
    .where('action', '=', 'midoffice.update')
    .orderBy('id')
    .execute();
  return (atMs) => {
    const next = changes.find(({ at }) => at > atMs);
    return next ? JSON.parse(next.before as string) : (now ?? { body_form: 'data' });
  };
}

export function requestAsSent(
  delivery: Omit<DeliveryRow, 'seq'>,
  attempt: AttemptRow,
  { url, body_form }: Form,
): SentRequest {
  const { signature_timestamp: timestamp, signature_token: token } = attempt;
  return {
    ...(url !== undefined && { url }),
    headers: {
      'content-type': 'application/json',
      'user-agent': `Bellhop/${VERSION}`,
      'webhook-id': headerSafe(delivery.event_id),
      'webhook-timestamp': String(timestamp),
      'webhook-signature': `v1,${MASKED}`,
    },
    body: composeBody(
      {
        type: delivery.type as EventType,
        partnerOrderId: delivery.partner_order_id,
        ...(delivery.agreement_number !== null && { agreementNumber: delivery.agreement_number }),
        ...(delivery.status !== null && { status: delivery.status }),
      },
      body_form as BodyForm,
      { signature: MASKED, timestamp, token },
    ),
  };
}
