/** The replies of the partner API: the envelope, its headers, and every refusal under its status. */
import { defaultGrant, OVERVIEW } from '../../base/catalogue.ts';
import { rateLimitHeaders } from '../../gateway/rate-limit-headers.ts';
import { type RefusalKind, refusals } from '../../gateway/refusal.ts';
import { ALLOWED_METHODS, CHALLENGE, type ErrorForm, refusalBody } from '../../gateway/reply.ts';
import { story } from '../../resources/examples.ts';

const FORWARDED = 'api/b2b/v3/search/hp/';

const debug = {
  request_id: story.requestId,
  real_ip: story.caller,
  utcnow: new Date(story.atMs).toISOString(),
  key_id: story.keyId,
  api_endpoint: FORWARDED,
};

const beforeKey: readonly RefusalKind[] = [
  refusals.malformedRequest,
  refusals.requestTimeout,
  refusals.headersTooLarge,
  refusals.noAuthHeader,
  refusals.invalidAuthHeader,
  refusals.incorrectCredentials,
  refusals.tooManyFailedLogins,
];
const Endpoint = {
  type: 'object',
  required: Object.keys(defaultGrant(OVERVIEW)),
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
  examples: [defaultGrant(FORWARDED)],
};

const Debug = {
  type: 'object',
  required: ['request_id', 'real_ip', 'utcnow'],
  properties: {
    request_id: { type: 'string', description: 'As in the header `X-Request-Id`.' },
    real_ip: { type: 'string', description: 'Your address, as the service sees it.' },
    utcnow: { type: 'string', format: 'date-time' },
    key_id: { type: 'string', description: 'Once the key is known.' },
    api_endpoint: {
      type: 'string',
      description: 'After the sign-in, if the path is that of an endpoint.',
    },
  },
  examples: [debug],
};

const debugOrNull = { anyOf: [{ $ref: '#/components/schemas/Debug' }, { type: 'null' }] };
const envelope = ['data', 'debug', 'error', 'status'];

const Overview = {
  type: 'object',
  required: envelope,
  properties: {
    data: { type: 'array', items: { $ref: '#/components/schemas/Endpoint' } },
    debug: debugOrNull,
    // Not `{ "type": "null" }`, which generators cannot turn into a type.
    error: { type: ['object', 'null'], description: 'Always null here.' },
    status: { type: 'string', const: 'ok' },
  },
  examples: [
    {
      data: [FORWARDED, 'api/b2b/v3/hotel/order/booking/finish/status/', OVERVIEW].map(
        defaultGrant,
      ),
      debug: null,
      error: null,
      status: 'ok',
    },
  ],
};

const kinds: readonly RefusalKind[] = Object.values(refusals);

const RefusalCode = {
  type: 'string',
  enum: [...new Set(kinds.map(({ code }) => code))],
  description: 'Stable; never changes its meaning.',
};

function refusal(title: string, description: string, { data, error, example }: RefusalParts) {
  return {
    title,
    description,
    type: 'object',
    required: envelope,
    properties: { data, debug: debugOrNull, error, status: { type: 'string', const: 'error' } },
    examples: [example],
  };
}

interface RefusalParts {
  data: object;
  error: object;
  example: object;
}

const code = { $ref: '#/components/schemas/RefusalCode' };

const Refusal = refusal('object', 'The default: `error` is an object.', {
  data: {
    type: ['array', 'null'],
    description: 'An empty array for the overview, null for the other endpoints.',
    items: { $ref: '#/components/schemas/Endpoint' },
    maxItems: 0,
  },
  error: {
    type: 'object',
    title: 'RefusalError',
    required: ['code', 'message'],
    properties: {
      code,
      message: { type: 'string', description: 'What is wrong and what to do.' },
    },
  },
  example: exampleIn('object'),
});

const BareRefusal = refusal(
  'code',
  'Of a service that is set up to answer so: `error` is the bare code.',
  {
    data: { type: ['array', 'null'], description: 'Always null here.', items: {}, maxItems: 0 },
    error: code,
    example: exampleIn('code'),
  },
);

/** BELLHOP_<ENV>_ERROR_FORM chooses one of the forms for an environment. */
const Refused = {
  oneOf: [{ $ref: '#/components/schemas/Refusal' }, { $ref: '#/components/schemas/BareRefusal' }],
};

/** Our own pages show a choice of forms with the lowest status. */
function exampleIn(form: ErrorForm): object {
  return exampleOf(refusals.malformedRequest, form);
}

function exampleOf(kind: RefusalKind, form: ErrorForm = 'object'): object {
  return JSON.parse(refusalBody(kind, debugWith(kind), { form, isOverview: false }));
}

/** What is known of the call when it is refused. */
function debugWith(kind: RefusalKind): object | null {
  const { key_id, api_endpoint, ...known } = debug;
  if (kind === refusals.unknown) return null;
  if (beforeKey.includes(kind)) return known;
  return kind === refusals.unknownEndpoint ? { ...known, key_id } : debug;
}

export const replySchemas = {
  Endpoint,
  Debug,
  Overview,
  RefusalCode,
  Refusal,
  BareRefusal,
  Refused,
};

const descriptions: Readonly<Record<string, string>> = {
  'X-RateLimit-RequestsNumber': 'The most calls in any span of the seconds that follow.',
  'X-RateLimit-SecondsNumber': 'That span.',
  'X-RateLimit-Remaining': 'How many more calls would be admitted right now.',
  'X-RateLimit-Reset':
    'UTC. When the next slot frees if none remain, otherwise when the oldest counted request leaves the window.',
  'RateLimit-Policy': "The limit, as in the IETF's draft.",
  RateLimit: "What is left of it, as in the IETF's draft.",
};

/** The headers under `components`, by name. */
export const replyHeaders = { 'X-Request-Id': requestIdHeader(), ...limitHeaders() };

function requestIdHeader(): object {
  return {
    description: 'Identifies this request; quote it when you contact API support.',
    schema: { type: 'string', pattern: '^[0-9a-f]{32}$', examples: [story.requestId] },
  };
}

function limitHeaders(): Record<string, object> {
  const { requests_number: requests, seconds_number: seconds } = defaultGrant(FORWARDED);
  const standing = { admitted: true, remaining: 7, resetInMs: 42_000 };
  const sent = rateLimitHeaders({ requests, seconds }, standing, story.atMs);
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => {
      const example = sent[sent.indexOf(name) + 1] as string;
      return [name, { description, schema: exampleSchema(example) }];
    }),
  );
}

function headersOf(...names: string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const everyHeader = headersOf(...Object.keys(replyHeaders));

function exampleSchema(example: string): object {
  return /^\d+$/.test(example)
    ? { type: 'integer', examples: [Number(example)] }
    : { type: 'string', examples: [example] };
}

/** The replies under `components`, by name. */
export const replies = {
  Overview: {
    description: 'The overview lists itself, too.',
    headers: everyHeader,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Overview' } } },
  },
  Forwarded: {
    description: "The booking core's reply, as it is.",
    headers: everyHeader,
    content: { '*/*': { schema: {} } },
  },
  ...Object.fromEntries(statusesOf(kinds).map((status) => [nameOf(status), refused(status)])),
};

export function refusalsBut(...left: RefusalKind[]): Record<string, object> {
  const statuses = statusesOf(kinds.filter((kind) => !left.includes(kind)));
  return Object.fromEntries(
    statuses.map((status) => [
      String(status),
      { $ref: `#/components/responses/${nameOf(status)}` },
    ]),
  );
}

function statusesOf(some: readonly RefusalKind[]): number[] {
  return [...new Set(some.map(({ status }) => status))].sort((a, b) => a - b);
}

function nameOf(status: number): string {
  return `Refused${status}`;
}

function refused(status: number): object {
  const own = kinds.filter((kind) => kind.status === status);
  return {
    description: own.map((kind) => `\`${kind.code}\`: ${kind.meaning}`).join('\n\n'),
    headers: {
      ...headersOf('X-Request-Id'),
      ...(status === 401 && { 'WWW-Authenticate': { schema: exampleSchema(CHALLENGE) } }),
      ...(status === 405 && { Allow: { schema: exampleSchema(ALLOWED_METHODS) } }),
      ...(status === 429 && {
        'Retry-After': { description: 'In seconds.', schema: exampleSchema('42') },
        ...everyHeader,
      }),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Refused' },
        examples: Object.fromEntries(own.map((kind) => [kind.code, { value: exampleOf(kind) }])),
      },
    },
  };
}
