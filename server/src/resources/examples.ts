/**
 * One story for the examples in the OpenAPI documents: a partner whose key calls the API, and whose midoffice receives a
 * webhook. Everything fits together, and the signatures verify. A field has its example beside its schema; here is what
 * several of them share.
 */
import type { BodyForm } from '@bellhop/partner';
import { signWebhook } from '@bellhop/partner/node';
import type { Static, TSchema, TString } from 'typebox';
import { Type } from './type.ts';

const atMs = Date.parse('2026-01-31T12:00:00Z');
const partnerId = exampleId('par', 'a1');
const tokenId = exampleId('tok', 'c3');
const order = 'BK-000417';
const agreement = 'AG-1029';
const person = 'Maria Lopez';

export const story = {
  atMs,
  partnerId,
  partner: 'Acme Travel',
  keyId: '8095346453',
  key: 'Booking engine',
  apiKey: '022a2cf1-d279-02f3-9c3c-596aa09b827b',
  midofficeId: exampleId('mid', 'b2'),
  midoffice: 'Acme midoffice',
  url: 'https://midoffice.example/webhooks/orders',
  requestId: '3f1c9a7be0d24f5c8a6b1e9d7c2f4a08',
  caller: '203.0.113.7',
  endpoint: 'api/b2b/v3/search/hp/',
  requests: 10,
  seconds: 60,
  eventId: 'evt-2026-000417',
  event: { type: 'created', partnerOrderId: order, agreementNumber: agreement } as const,
  order,
  agreement,
  deliveryId: 'del_417',
  signature: {
    timestamp: atMs / 1_000,
    token: 'q7ZtM2dXk4RvB9sLwY1eHcN8uPf3GjTa6oQi5VxDzKbC0nWmEr',
  },
  lastError: 'The receiver answered with status 503.',
  node: 'bellhop-0-1-9f3c2a',
  person,
  email: 'maria.lopez@support.example',
  tokenId,
  token: 'bh_4Zr1mVq8XbYt0sKpL2nWc7HdJf9Ga3Ue6Ri5ToPxEwM',
  actor: `${person} (${tokenId})`,
  auditId: exampleId('aud', 'e5'),
  action: 'key.rotate',
  before: { disabled: false },
  after: { disabled: true },
  sentence: 'rotated the key Acme Travel (Booking engine)',
  subject: 'Acme Travel (Booking engine)',
  note: 'Called the partner: the receiver is down until Monday.',
  certification: 'CERT-2026-014',
  portalLinkId: exampleId('pln', 'a7'),
};

/** A text with an example and perhaps a description, or another schema with an example. */
export function like(example: string, description?: string): TString;
export function like<S extends TSchema>(example: Static<S>, schema: S): S;
export function like(example: unknown, what?: string | TSchema): TSchema {
  const examples = [example];
  if (typeof what === 'object') return Type.With(what, { examples });
  return Type.String({ ...(what && { description: what }), examples });
}

export function exampleId(prefix: string, digits: string): string {
  return `${prefix}_${atMs.toString(16).padStart(12, '0')}${digits.repeat(8)}`;
}

/** The webhook as the midoffice receives it. */
export function exampleWebhook(form: BodyForm) {
  return signWebhook({
    webhookId: story.eventId,
    event: story.event,
    form,
    ...story.signature,
    bodyKey: story.apiKey,
    headerKeys: [story.apiKey],
  });
}
