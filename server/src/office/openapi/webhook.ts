/**
 * The webhook, for both OpenAPI documents. Two generators decide its form: openapi-generator writes a Python module
 * that does not compile unless `webhooks` only refers to the path item, and oapi-codegen drops schemas under
 * `components` that only a webhook refers to.
 */
import type { BodyForm } from '@bellhop/partner';
import { VERSION } from '../../base/version.ts';
import { exampleWebhook, story } from '../../resources/examples.ts';

const order = {
  type: {
    type: 'string',
    enum: ['created', 'updated', 'cancelled'],
    description: 'What happened to the order.',
  },
  partner_order_id: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    description: "The partner's identifier of the booking.",
  },
  agreement_number: {
    type: 'string',
    description: "The contract's agreement number; only where the event has one.",
  },
  status: { type: 'string', description: 'Only where the event has one.' },
};

const signature = {
  type: 'object',
  required: ['signature', 'timestamp', 'token'],
  properties: {
    signature: {
      type: 'string',
      pattern: '^[0-9a-f]{64}$',
      description:
        'HMAC-SHA-256 in lower-case hex. Key: the API key; message: the decimal timestamp followed by the token.',
    },
    timestamp: { type: 'integer', minimum: 0, description: 'Unix seconds.' },
    token: {
      type: 'string',
      pattern: '^[A-Za-z0-9]{50}$',
      description: 'New for every attempt: a token that was seen before means a replay.',
    },
  },
};

const required = ['type', 'partner_order_id'];
const data = { type: 'object', required, properties: order };

/** `not` keeps a body of the form `both` from counting as one of the others as well. */
const forms = [
  {
    title: 'data',
    description: 'The default.',
    type: 'object',
    required: ['data', 'signature'],
    properties: { data, signature },
    not: { required: ['type'] },
    examples: [exampleBody('data')],
  },
  {
    title: 'flat',
    type: 'object',
    required: [...required, 'signature'],
    properties: { ...order, signature },
    not: { required: ['data'] },
    examples: [exampleBody('flat')],
  },
  {
    title: 'both',
    type: 'object',
    required: ['data', ...required, 'signature'],
    properties: { data, ...order, signature },
    examples: [exampleBody('both')],
  },
];

function exampleBody(form: BodyForm): object {
  return JSON.parse(exampleWebhook(form).body);
}

function header(name: string, description: string, example: string) {
  const schema = { type: 'string', examples: [example] };
  return { name, in: 'header', required: true, description, schema };
}

const { headers } = exampleWebhook('data');

const orderChange = {
  post: {
    tags: ['webhook'],
    operationId: 'orderChange',
    summary: "An order was created, changed or cancelled; POSTed to the midoffice's URL",
    description: `Any 2xx within the time-out counts as delivered. After anything else it is sent again: by default after 30 s, 60 s, 90 s, 120 s, 150 s, 300 s, 1 hour, then every 12 hours for 7 days. Redirects are not followed. An event may arrive more than once, always with the same \`webhook-id\`. The examples are signed with the API key \`${story.apiKey}\`; the headers are those of the form \`data\`.`,
    security: [],
    parameters: [
      header(
        'webhook-id',
        "The event's id, the same on every attempt. Characters that a header cannot hold are percent-encoded, and so is the percent sign.",
        headers['webhook-id'],
      ),
      header('webhook-timestamp', 'Unix seconds, of this attempt.', headers['webhook-timestamp']),
      header(
        'webhook-signature',
        '`v1,` and base64 of HMAC-SHA-256 over `id.timestamp.body`, keyed with the API key. Unlike the signature in the body, it covers the payload. While a key rotation overlaps, there is one for each key, separated by spaces.',
        headers['webhook-signature'],
      ),
      header('user-agent', 'Bellhop and its version.', `Bellhop/${VERSION}`),
    ],
    requestBody: {
      required: true,
      description: 'In the form that was chosen for the midoffice.',
      content: { 'application/json': { schema: { oneOf: forms } } },
    },
    responses: {
      '2XX': { description: 'Delivered; it is not sent again.' },
      default: { description: 'Not delivered; it is sent again.' },
    },
  },
};

export const webhooks = { orderChange: { $ref: '#/components/pathItems/orderChange' } };

/** What `webhooks` refers to. */
export const webhookPathItems = { orderChange };
