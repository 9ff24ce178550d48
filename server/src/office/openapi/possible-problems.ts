/** The problems that an operation can answer with: the general ones by its form, and its own. */
import { type ProblemCode, problems, Problem as Refused } from '../../resources/problem.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What the route's action can refuse, besides what every route can. */
    problems?: readonly ProblemCode[];
  }
}

const ANY: readonly ProblemCode[] = [
  'malformed_request',
  'validation_failed',
  'request_timeout',
  'headers_too_large',
  'internal_error',
  'storage_full',
  'storage_read_only',
  'storage_failing',
  'storage_gone',
  'storage_damaged',
  'database_unavailable',
  'too_many_reads',
  'read_timed_out',
];
const WITH_BODY: readonly ProblemCode[] = [
  'malformed_json',
  'body_too_large',
  'unsupported_media_type',
];

const Problem = {
  type: 'object',
  description: 'A problem as RFC 9457 has it. Programs should look at `code`.',
  required: ['type', 'title', 'status', 'code', 'detail'],
  properties: {
    type: { type: 'string', format: 'uri', examples: ['urn:bellhop:problem:key_not_found'] },
    title: { type: 'string', description: 'What the code means, always the same.' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    code: { type: 'string', description: 'Stable; never changes its meaning.' },
    detail: { type: 'string', description: 'What is wrong with this request, for people.' },
    errors: {
      type: 'array',
      description:
        'The fields at fault, where there are any; at most 20 of them, and 100 of an import.',
      items: { $ref: '#/components/schemas/FieldError' },
    },
  },
} as const;

const FieldError = {
  type: 'object',
  required: ['field', 'detail'],
  properties: {
    line: { type: 'integer', description: 'The line of an import.' },
    field: {
      type: 'string',
      description:
        'A JSON pointer into the body or the line, or the name of a query parameter. Empty for the whole line.',
    },
    detail: { type: 'string' },
  },
} as const;

/** What the guards of a listener's operations can refuse. */
export interface GuardProblems {
  /** With which callers sign in, as the document calls it. */
  scheme: string;
  signedIn: readonly ProblemCode[];
  /** Where sessions sign in besides. */
  session?: readonly ProblemCode[];
  /** Of requests that change something. */
  changes: readonly ProblemCode[];
}

/** Every reply that says no, shared by the operations that have the same codes for a status. */
export function addProblemReplies(
  document: Document,
  problemsOf: (operationId: string) => readonly ProblemCode[],
  guards: GuardProblems,
): Document {
  const shared: Record<string, object> = {};
  for (const item of Object.values(document.paths ?? {})) {
    for (const [method, operation] of Object.entries(item)) {
      const own = problemsOf(operation.operationId ?? '');
      const codes = [...new Set([...generalProblems(method, operation, guards), ...own])];
      for (const [status, replied] of byStatus(codes)) {
        const name = replied.map(pascal).join('Or');
        shared[name] ??= replyWith(name, replied);
        operation.responses[status] = { $ref: `#/components/responses/${name}` };
      }
    }
  }
  const { components } = document;
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...components?.schemas, FieldError, Problem },
      responses: { ...components?.responses, ...shared },
    },
  };
}

function generalProblems(
  method: string,
  operation: Operation,
  { scheme, signedIn, session = [], changes: changing }: GuardProblems,
): ProblemCode[] {
  const { parameters = [], security } = operation;
  const changes = method !== 'get';
  const found: ProblemCode[] = [...ANY, ...(changes ? WITH_BODY : [])];
  // Where an operation says nothing about signing in, it takes whatever the listener takes.
  if (!security || security.some((one) => scheme in one)) found.push(...signedIn);
  if (!security) found.push(...session);
  if (!security && changes) found.push(...changing);
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  if (inPath.some(({ name }) => name === 'environment')) found.push('environment_not_found');
  if (inPath.some(({ name }) => name !== 'environment')) found.push('route_not_found');
  return found;
}

function byStatus(codes: readonly ProblemCode[]): [string, ProblemCode[]][] {
  const statuses = [...new Set(codes.map((code) => problems[code].status))].sort();
  const inOrder = Object.keys(problems) as ProblemCode[];
  return statuses.map((status) => [
    String(status),
    inOrder.filter((code) => codes.includes(code) && problems[code].status === status),
  ]);
}

function replyWith(name: string, codes: readonly ProblemCode[]): object {
  const status = problems[codes[0] as ProblemCode].status;
  return {
    description: codes.map((code) => `\`${code}\`: ${problems[code].title}`).join('\n\n'),
    ...headersAt(status),
    content: {
      'application/problem+json': {
        schema: {
          title: `${name}Problem`,
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            {
              type: 'object',
              required: ['code'],
              properties: {
                code: { type: 'string', enum: codes },
                status: { type: 'integer', const: status },
              },
            },
          ],
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  };
}

function exampleOf(code: ProblemCode): object {
  const errors = [{ field: '/name', detail: 'The field is missing.' }];
  const problem =
    code === 'validation_failed' ? new Refused(code, undefined, errors) : new Refused(code);
  return problem.toJSON();
}

function headersAt(status: number): object {
  if (status === 401) return { headers: { 'WWW-Authenticate': { schema: { type: 'string' } } } };
  if (status !== 429 && status !== 503) return {};
  const schema = { type: 'integer', minimum: 0 };
  return { headers: { 'Retry-After': { description: 'In seconds.', schema } } };
}

function pascal(code: string): string {
  return code.replace(/(?:^|_)(\w)/g, (_all, letter: string) => letter.toUpperCase());
}

/** As much of OpenAPI's form as our own code touches. */
export interface Document {
  paths?: Record<string, PathItem>;
  webhooks?: Record<string, unknown>;
  components?: Components;
  [other: string]: unknown;
}

interface Components {
  schemas?: Record<string, unknown>;
  responses?: Record<string, unknown>;
  [other: string]: unknown;
}

type PathItem = Record<string, Operation>;

export interface Operation {
  operationId?: string;
  security?: object[];
  parameters?: { name: string; in: string }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Schema }> };
  responses: Record<string, object>;
}

export type Schema = Record<string, unknown>;
