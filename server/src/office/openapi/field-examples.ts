/**
 * An example for every text, and for the numbers that need a realistic one, by the name of the field. `Partner.id` is
 * the field of one schema only; a name alone is that of all others.
 */

import { VERSION } from '../../base/version.ts';
import { deliveryId } from '../../delivery/orders/order-event.ts';
import { requestAsSent } from '../../resources/deliveries/attempts.ts';
import { whyFailed } from '../../resources/deliveries/why-failed.ts';
import { API_KEY, AT_MS, CALLER, exampleWebhook, KEY_ID } from './examples.ts';
import type { Schema } from './json.ts';

const ids = {
  partner: exampleId('par', 'a1'),
  midoffice: exampleId('mid', 'b2'),
  token: exampleId('tok', 'c3'),
  person: exampleId('per', 'd4'),
  audit: exampleId('aud', 'e5'),
  note: exampleId('not', 'f6'),
  portalLink: exampleId('pln', 'a7'),
  portalSession: exampleId('pse', 'b8'),
  delivery: deliveryId(417),
};
const { data, signature } = JSON.parse(exampleWebhook('data').body);
const eventId = exampleWebhook('data').headers['webhook-id'];
const url = 'https://midoffice.example/webhooks/orders';
const node = 'bellhop-0-1-9f3c2a';
const person = 'Maria Lopez';
const actor = `${person} (${ids.token})`;
const attempt = {
  url,
  body_form: 'data',
  user_agent: `Bellhop/${VERSION}`,
  signature_timestamp: signature.timestamp,
  signature_token: signature.token,
  failure_code: null,
} as const;
const order = { ...data, event_id: eventId, status: null };

const examples: Readonly<Record<string, unknown>> = {
  address: CALLER,
  action: 'key.rotate',
  actor,
  after: { disabled: true },
  agreement_number: order.agreement_number,
  allowed_ips: [CALLER, '2001:db8::/32'],
  api_key: API_KEY,
  approval_reference: 'TICKET-2931',
  author: actor,
  before: { disabled: false },
  cause: null,
  certification_reference: 'CERT-2026-014',
  continue_at: 'https://login.example/logout',
  created_by: actor,
  delivery_id: ids.delivery,
  delivery_node: node,
  duration_ms: 184,
  email: 'maria.lopez@support.example',
  endpoint: 'api/b2b/v3/search/hp/',
  endpoints: ['api/b2b/v3/search/hp/', 'api/b2b/v3/overview/'],
  error: null,
  event_id: eventId,
  expected_sales_volume: '400 bookings a day',
  failure_code: null,
  host: 'bellhop-0',
  ids: [ids.delivery],
  issuer: 'https://login.example',
  key_fingerprint: '6f1d2a90',
  key_id: KEY_ID,
  label: 'Booking engine',
  last_error: 'The receiver answered with status 503.',
  last_failure_code: 'status',
  last_status_code: 503,
  midoffice_id: ids.midoffice,
  midoffice_name: 'Acme midoffice',
  name: 'Acme Travel',
  next_cursor: `${AT_MS}-${ids.partner}`,
  opened_by: actor,
  partner_id: ids.partner,
  partner_name: 'Acme Travel',
  partner_order_id: order.partner_order_id,
  partner_order_id_prefix: 'BK-0004',
  peak_share: 0.8,
  reason: 'The partner asked for it.',
  reference: 'CERT-2026-014',
  reply_excerpt: 'OK',
  requests_number: 10,
  seconds_number: 60,
  sentence: 'rotated the key Acme Travel (Booking engine)',
  share: 0.8,
  signature_timestamp: signature.timestamp,
  signature_token: signature.token,
  signing_key_id: KEY_ID,
  status_code: 200,
  step_seconds: 60,
  subject: KEY_ID,
  subject_name: 'Acme Travel (Booking engine)',
  success_rate: 0.98,
  text: 'Called the partner: the receiver is down until Monday.',
  token: 'bh_4Zr1mVq8XbYt0sKpL2nWc7HdJf9Ga3Ue6Ri5ToPxEwM',
  url,
  used: 3,
  user_agent: attempt.user_agent,

  'Activity.id': ids.audit,
  'Activity.text': null,
  'AuditEntry.id': ids.audit,
  'ConsoleSession.name': person,
  'Delivery.id': ids.delivery,
  'Delivery.status': 'confirmed',
  'DeliveryNode.id': node,
  'DeliveryNodes.next_cursor': null,
  'DeliveryPage.next_cursor': ids.delivery,
  'DeliveryWithAttempts.id': ids.delivery,
  'DeliveryWithAttempts.status': 'confirmed',
  'DeliveryWithAttempts.why': whyFailed({ status_code: 503, failure_code: 'status', error: null }),
  'ExhaustedMidoffice.id': ids.midoffice,
  'FailingMidoffice.id': ids.midoffice,
  'FailingMidoffice.name': 'Acme midoffice',
  'GrantWithWarnings.warnings': [
    {
      code: 'seconds_exceed_requests',
      detail: 'seconds_number (60) should not exceed requests_number (10).',
    },
  ],
  'KeyPage.next_cursor': `${AT_MS}-${KEY_ID}`,
  'Midoffice.id': ids.midoffice,
  'Midoffice.name': 'Acme midoffice',
  'MidofficeChanges.name': 'Acme midoffice',
  'MidofficePage.next_cursor': `${AT_MS}-${ids.midoffice}`,
  'MidofficeWithState.id': ids.midoffice,
  'MidofficeWithState.name': 'Acme midoffice',
  'NewMidoffice.name': 'Acme midoffice',
  'NewToken.name': person,
  'Note.id': ids.note,
  'OnboardingStep.detail': 'Booking engine',
  'OrderEvent.status': 'confirmed',
  'Partner.id': ids.partner,
  'PausedMidoffice.id': ids.midoffice,
  'PausedMidoffice.name': 'Acme midoffice',
  'Portal.url': 'https://portal.example',
  'PortalLink.id': ids.portalLink,
  'PortalLinkWithUrl.id': ids.portalLink,
  'CreatedPortalLink.id': ids.portalLink,
  'PortalSession.id': ids.portalSession,
  'Person.id': ids.person,
  'Person.name': person,
  'Person.subject': '248289761001',
  'ReceiverCheck.detail': 'The name midoffice.example could not be resolved.',
  'ReceiverLine.expected': 'Any status from 200 to 299.',
  'ReceiverLine.fix': 'Answer 200 as soon as the webhook is verified.',
  'ReceiverLine.got': '200 after 12 ms.',
  'ReceiverLine.name': 'data-form',
  'ReceiverLine.sent': 'A genuine webhook in the form `data`.',
  'ReceiverLine.title': 'accepts a genuine webhook',
  'ReceiverLine.why': 'Any 2xx counts as delivered.',
  'SearchHit.detail': ids.partner,
  'SearchHit.id': ids.partner,
  'SearchHit.title': 'Acme Travel',
  'SentRequest.body': requestAsSent(order, attempt)?.body,
  'SentRequest.headers': requestAsSent(order, attempt)?.headers,
  'Token.id': ids.token,
  'Token.name': person,
  'TokenWithSecret.id': ids.token,
  'TokenWithSecret.name': person,
};

/** The schema of an object, with an example for each of its fields that has none of its own. */
export function withFieldExamples(schema: Schema): Schema {
  const { title, properties } = schema as { title?: string; properties?: Record<string, Schema> };
  if (typeof properties !== 'object') return schema;
  const shown = Object.entries(properties).map(([name, field]) => {
    const own = `${title}.${name}`;
    const example = own in examples ? examples[own] : examples[name];
    const needsOne = example !== undefined && !field.$ref && !field.enum && !field.examples;
    return [name, needsOne ? { ...field, examples: [example] } : field];
  });
  return { ...schema, properties: Object.fromEntries(shown) };
}

function exampleId(prefix: string, digits: string): string {
  return `${prefix}_${AT_MS.toString(16).padStart(12, '0')}${digits.repeat(8)}`;
}
