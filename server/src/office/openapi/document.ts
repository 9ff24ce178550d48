/** The OpenAPI document of a listener, made from the schemas of its routes. */

import { isDeepStrictEqual } from 'node:util';
import Fastify, { type FastifyInstance, type RouteOptions } from 'fastify';
import type { ProblemCode } from '../../resources/problem.ts';
import { formats } from '../formats.ts';
import type { Document, Operation, Schema } from './possible-problems.ts';
import { addProblemReplies, type GuardProblems } from './possible-problems.ts';

export interface About {
  /** Everything but the paths. */
  frame: object;
  guards: GuardProblems;
  /** Whether every list can also be read as CSV: see csv.ts. */
  hasCsv: boolean;
}

/**
 * Notes the routes that are added after this, and makes the document of them when somebody asks for it: most processes
 * are never asked, and the library with what it loads (a reader of YAML) would be a tenth of the start.
 */
export function describeRoutes(app: FastifyInstance, about: About): () => Promise<object> {
  const routes: RouteOptions[] = [];
  app.addHook('onRoute', (route) => {
    routes.push(route);
  });
  return async () => {
    const { default: swagger } = await import('@fastify/swagger');
    // The library collects routes while they are added, so they are added again, to an app that serves nobody.
    const described = Fastify({ exposeHeadRoutes: false });
    described.setValidatorCompiler(() => () => true);
    described.setSerializerCompiler(() => () => '');
    await described.register(swagger, optionsFor(routes, about));
    // HEAD signs in and reads like GET; describing it twice helps nobody.
    for (const { method, url, schema = {} } of routes.filter(({ method }) => method !== 'HEAD')) {
      described.route({ method, url, schema, handler: () => {} });
    }
    await described.ready();
    return described.swagger();
  };
}

function optionsFor(routes: readonly RouteOptions[], { frame, guards, hasCsv }: About) {
  const problemsOf = new Map<string, readonly ProblemCode[]>();
  for (const { schema, config } of routes) {
    const { operationId } = (schema ?? {}) as { operationId?: string };
    if (operationId) problemsOf.set(operationId, config?.problems ?? []);
  }
  return {
    openapi: frame,
    convertConstToEnum: false,
    transformObject: (made: object) => {
      const { openapiObject } = made as { openapiObject: Document };
      const document = describeReplies(openapiObject, hasCsv);
      const ownProblems = (id: string) => problemsOf.get(id) ?? [];
      return nameSchemas(addProblemReplies(document, ownProblems, guards)) as object;
    },
  };
}

const SUCCESS: Readonly<Record<string, string>> = {
  200: 'It worked; the body shows the result.',
  201: 'It was created; the body shows it.',
  202: 'Everything in the request is stored.',
  204: 'It worked; there is no body.',
};

function describeReplies(document: Document, hasCsv: boolean): Document {
  for (const item of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(item)) {
      for (const [status, reply] of Object.entries(operation.responses)) {
        Object.assign(reply, { description: SUCCESS[status] });
        if (hasCsv) addCsv(reply as Reply);
      }
      markOptionalBody(operation);
    }
  }
  return document;
}

interface Reply {
  content?: Record<string, { schema: Schema }>;
}

function addCsv({ content }: Reply): void {
  const properties = content?.['application/json']?.schema.properties as object | undefined;
  if (!content || !properties || !('items' in properties)) return;
  content['text/csv'] = {
    schema: {
      type: 'string',
      description:
        'The whole list, with `Accept: text/csv` or `format=csv`; `limit` and `cursor` do not apply. The first row has the names of the fields. Lists and objects in a cell are JSON. Where a spreadsheet would find a formula, also one that separates cells by semicolon or tab, an apostrophe comes first.',
    },
  };
}

/** A body without a required field may be left out altogether. */
function markOptionalBody({ requestBody }: Operation): void {
  if (!requestBody) return;
  const bodies = Object.entries(requestBody.content);
  requestBody.required = !bodies.every(
    ([type, { schema }]) => type === 'application/json' && acceptsNothing(schema),
  );
}

function acceptsNothing({ required, minProperties, if: choice }: Schema): boolean {
  return required === undefined && minProperties === undefined && choice === undefined;
}

/** Names of types; other titles, such as those of the webhook's forms, are only for people. */
const NAME = /^[A-Z][A-Za-z]+$/;

/**
 * Turns the schemas that validate into schemas that people and generators read: those with a name
 * move to `components`, and what only our validator understands becomes plain JSON Schema.
 */
function nameSchemas(document: Document): Document {
  const named: Record<string, Schema> = {};

  function plain(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(plain);
    if (typeof value !== 'object' || value === null) return value;
    const schema = Object.fromEntries(
      Object.entries(asAlternatives(value as Schema)).map(([name, part]) => [name, plain(part)]),
    );
    return refer(withKnownFormat(schema));
  }

  function refer(schema: Schema): Schema {
    const { title } = schema;
    if (typeof title !== 'string' || !NAME.test(title)) return schema;
    const known = named[title];
    if (known && !isDeepStrictEqual(undescribed(known), undescribed(schema))) {
      throw new Error(`two schemas have the name ${title}`);
    }
    // A parameter has the description beside its schema, and not in it.
    if (!known?.description) named[title] = schema;
    return { $ref: `#/components/schemas/${title}` };
  }

  const paths = plain(document.paths) as Document['paths'];
  const schemas = { ...document.components?.schemas, ...sorted(named) };
  return { ...document, paths, components: { ...document.components, schemas } };
}

function asAlternatives(schema: Schema): Schema {
  if (!('if' in schema)) return schema;
  return { title: schema.title, oneOf: [schema.else, schema.then] };
}

function withKnownFormat({ format, examples, ...schema }: Schema): Schema {
  const known = typeof format === 'string' ? formats[format]?.documented : undefined;
  return {
    ...schema,
    ...(known ?? (format !== undefined && { format })),
    ...(examples !== undefined && { examples }),
  };
}

function undescribed({ description, ...schema }: Schema): Schema {
  return schema;
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
