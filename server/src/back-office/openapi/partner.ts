/**
 * The partner API as OpenAPI, from the catalogue and the refusals. Bellhop answers the overview. The
 * other endpoints belong to the booking core, so the document lists their paths and invents nothing.
 */
import { catalogue, OVERVIEW } from '../../catalogue.ts';
import { type RefusalKind, refusals } from '../../partner-api/refusal.ts';
import { VERSION } from '../../version.ts';
import { webhooks } from './webhook.ts';

const requestId = {
  description: 'Identifies this request; quote it when you contact API support.',
  schema: { type: 'string', pattern: '^[0-9a-f]{32}$' },
};

const limitHeaders = {
  'X-RateLimit-RequestsNumber': {
    description: 'The most calls in any span of the seconds that follow.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-SecondsNumber': { description: 'That span.', schema: { type: 'integer' } },
  'X-RateLimit-Remaining': {
    description: 'How many more calls would be admitted right now.',
    schema: { type: 'integer' },
  },
  'X-RateLimit-Reset': {
    description:
      'UTC. When the next slot frees if none remain, otherwise when the oldest counted request leaves the window.',
    schema: { type: 'string', examples: ['2026-01-31T12:00:00'] },
  },
  'RateLimit-Policy': { schema: { type: 'string' } },
  RateLimit: { schema: { type: 'string' } },
};

const Endpoint = {
  type: 'object',
  required: [
    'endpoint',
    'is_active',
    'is_debug_mode',
    'is_limited',
    'requests_number',
    'seconds_number',
  ],
  properties: {
    endpoint: { type: 'string', description: 'Relative to the base address.' },
    is_active: { type: 'boolean', description: 'Whether the endpoint is active.' },
    is_debug_mode: { type: 'boolean', description: 'Whether debug mode is available.' },
    is_limited: {
      type: 'boolean',
      description: 'Whether the endpoint has a limit on requests per period of seconds.',
    },
    requests_number: {
      type: 'integer',
      description: 'The most requests within `seconds_number` seconds.',
    },
    seconds_number: { type: 'integer', description: 'Length of the window in seconds.' },
  },
};

const Debug = {
  type: ['object', 'null'],
  properties: {
    request_id: { type: 'string' },
    real_ip: { type: 'string', description: 'Your address, as the service sees it.' },
    utcnow: { type: 'string', format: 'date-time' },
    key_id: { type: 'string' },
    api_endpoint: { type: 'string' },
  },
};

const order = ['data', 'debug', 'error', 'status'];

const Overview = {
  type: 'object',
  required: order,
  properties: {
    data: { type: 'array', items: { $ref: '#/components/schemas/Endpoint' } },
    debug: { $ref: '#/components/schemas/Debug' },
    error: { type: 'null' },
    status: { const: 'ok' },
  },
};

function refusalsByStatus(): Record<string, object> {
  const kinds: RefusalKind[] = Object.values(refusals);
  const statuses = [...new Set(kinds.map(({ status }) => status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      refused(
        status,
        kinds.filter((kind) => kind.status === status),
      ),
    ]),
  );
}

function refused(status: number, kinds: readonly RefusalKind[]): object {
  return {
    description: kinds.map(({ code, meaning }) => `\`${code}\`: ${meaning}`).join('\n\n'),
    headers: {
      'X-Request-Id': requestId,
      ...(status === 401 && { 'WWW-Authenticate': { schema: { type: 'string' } } }),
      ...(status === 405 && { Allow: { schema: { type: 'string' } } }),
      ...(status === 429 && {
        'Retry-After': { description: 'In seconds.', schema: { type: 'integer' } },
        ...limitHeaders,
      }),
    },
    content: { 'application/json': { schema: { oneOf: failureForms(kinds) } } },
  };
}

/** A failure in both of its forms. BELLHOP_<ENV>_ERROR_FORM chooses one for an environment. */
function failureForms(kinds: readonly RefusalKind[]): object[] {
  const code = { type: 'string', enum: [...new Set(kinds.map((kind) => kind.code))] };
  const form = (data: object, error: object) => ({
    type: 'object',
    required: order,
    properties: {
      data,
      debug: { $ref: '#/components/schemas/Debug' },
      error,
      status: { const: 'error' },
    },
  });
  return [
    {
      title: 'object',
      description: 'The default: `error` is an object.',
      ...form(
        {
          description: 'An empty array for the overview, null for the other endpoints.',
          oneOf: [{ type: 'null' }, { type: 'array', items: {}, maxItems: 0 }],
        },
        {
          type: 'object',
          required: ['code', 'message'],
          properties: {
            code,
            message: { type: 'string', description: 'What is wrong and what to do.' },
          },
        },
      ),
    },
    {
      title: 'code',
      description: 'Where `ERROR_FORM` is `code`: `error` is the bare code.',
      ...form({ type: 'null' }, code),
    },
  ];
}

function overview(method: 'get' | 'post'): object {
  return {
    tags: ['overview'],
    operationId: `overview_${method}`,
    summary: 'The endpoints that this key may use, and the limit of each',
    ...(method === 'post' && { description: 'The same as GET; a body is ignored.' }),
    parameters: [
      {
        name: 'X-Debug-Mode',
        in: 'header',
        description:
          'With `on` (in any case), and where the endpoint has `is_debug_mode`, `debug` is filled.',
        schema: { type: 'string', pattern: '^[Oo][Nn]$', examples: ['on'] },
      },
    ],
    responses: {
      200: {
        description: 'The overview lists itself, too.',
        headers: { 'X-Request-Id': requestId, ...limitHeaders },
        content: { 'application/json': { schema: { $ref: '#/components/schemas/Overview' } } },
      },
      ...refusalsByStatus(),
    },
  };
}

function forwarded(): Record<string, object> {
  const others = catalogue.filter(({ endpoint }) => endpoint !== OVERVIEW);
  return Object.fromEntries(
    others.map(({ endpoint, isLimited, requestsNumber, secondsNumber }) => {
      const limit = isLimited
        ? `A new key may call it ${requestsNumber} times in ${secondsNumber} seconds.`
        : 'A new key may call it without limit.';
      return [
        `/${endpoint}`,
        {
          summary: 'Forwarded to the booking core',
          description: `Methods, parameters and payloads are the booking core's, and are not described here. Sign-in, limits and refusals are as for the overview. ${limit}`,
        },
      ];
    }),
  );
}

export function partnerDocument(): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bellhop partner API',
      version: VERSION,
      description:
        'For partners. Every reply of Bellhop is one envelope: `data`, `debug`, `error`, `status`. In a failure, `error` is an object with a `code` and a `message`. Where the operator has set `BELLHOP_<ENV>_ERROR_FORM` to `code`, `error` is the bare code instead, and `data` is always null. Production and sandbox have keys of their own. All paths also work without the trailing slash.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [
      { url: 'http://127.0.0.1:8080', description: 'Production, on the default port.' },
      { url: 'http://127.0.0.1:8081', description: 'Sandbox, on the default port.' },
    ],
    security: [{ key: [] }],
    tags: [
      { name: 'overview', description: 'What a key may call, and how often.' },
      { name: 'webhook', description: 'What a midoffice receives.' },
    ],
    paths: {
      [`/${OVERVIEW}`]: { get: overview('get'), post: overview('post') },
      ...forwarded(),
    },
    webhooks,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'basic',
          description: 'The key id as user name, the API key as password.',
        },
      },
      schemas: { Endpoint, Debug, Overview },
    },
  };
}
