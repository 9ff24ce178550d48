/**
 * Reads what callers send into the form that schemas and actions expect. The hooks call back instead of
 * returning promises, because every order event passes through them.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { hasMoreValuesThan } from '../base/json-values.ts';
import { query } from '../resources/forms.ts';
import { invalidField, Problem } from '../resources/problem.ts';
import { bodyBoundsOf, SMALLEST_BOUNDS } from './body-bounds.ts';
import { isPlainText } from './formats.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of the body, as its schema allows. */
    mostValues?: number;
  }
}

export function readRequests(app: FastifyInstance): void {
  boundBodies(app);
  refuseCodedBodies(app);
  acceptEmptyBodies(app);
  declareQueries(app);
  readNumbers(app);
  refuseControlCharacters(app);
}

/** Before the body is read, but after the caller has signed in. */
function refuseCodedBodies(app: FastifyInstance): void {
  app.addHook('preParsing', ({ headers, is404 }, _reply, _payload, done) => {
    const coding = headers['content-encoding'];
    if (is404 || coding === undefined || coding.toLowerCase() === 'identity') return done();
    const detail = 'The body is compressed. Send it without Content-Encoding.';
    done(new Problem('unsupported_media_type', detail));
  });
}

/** No route takes a body that is larger, or has more values, than its schema allows. */
function boundBodies(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const bounds = bodyBoundsOf(route.schema?.body as object | undefined);
    route.bodyLimit ??= bounds.bytes;
    route.config = { ...route.config, mostValues: bounds.values };
  });
}

/** A call whose fields are all optional may come without any body. */
function acceptEmptyBodies(app: FastifyInstance): void {
  // Fastify accepts text/plain as well, and no schema would fit it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const most = request.routeOptions.config.mostValues ?? SMALLEST_BOUNDS.values;
    try {
      if (hasMoreValuesThan(most, body as Buffer)) {
        throw new Problem('validation_failed', `The body must have at most ${most} values.`);
      }
      done(null, decodeJson(body as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined) request.body = {};
    done();
  });
  // Where there is a schema, it says so. `null` would otherwise pass for a body that was left out.
  app.addHook('preHandler', ({ body, routeOptions: { schema }, is404 }, _reply, done) => {
    const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
    done(isObject || schema?.body || is404 ? undefined : notAnObject());
  });
}

function notAnObject(): Problem {
  const detail = 'must be an object';
  return new Problem('validation_failed', `The body ${detail}.`, [{ field: '', detail }]);
}

/** Invalid UTF-8 would be stored as something that nobody sent. */
const decoder = new TextDecoder('utf-8', { fatal: true });

export function decodeJson(body: Buffer): unknown {
  if (body.length === 0) return {};
  try {
    return JSON.parse(decoder.decode(body));
  } catch (error) {
    throw new Problem(
      'malformed_json',
      error instanceof TypeError ? 'The body is not UTF-8.' : undefined,
    );
  }
}

const NO_PARAMETERS = query({});

/**
 * An operation that declares no query parameters takes none: whoever sends one would believe that it did something.
 * What is hidden from the OpenAPI document is for browsers, probes and other servers, which may add some.
 */
function declareQueries(app: FastifyInstance): void {
  app.addHook('onRoute', (route) => {
    const { schema } = route;
    if (!schema || schema.hide) return;
    route.schema = { ...schema, querystring: schema.querystring ?? NO_PARAMETERS };
  });
}

/**
 * Query parameters arrive as text. Only plain digits become a number: the validator's own coercion
 * would also read "1e1" and "0x10".
 */
function readNumbers(app: FastifyInstance): void {
  app.addHook('preValidation', (request, _reply, done) => {
    const given = request.query as Record<string, unknown>;
    for (const name of numbersOf(request)) {
      const value = given[name];
      if (typeof value === 'string' && /^\d{1,15}$/.test(value)) given[name] = Number(value);
    }
    done();
  });
}

function numbersOf({ routeOptions }: FastifyRequest): string[] {
  const schema = routeOptions.schema?.querystring as
    | { properties?: Record<string, { type?: string }> }
    | undefined;
  return Object.entries(schema?.properties ?? {}).flatMap(([name, { type }]) =>
    type === 'integer' ? name : [],
  );
}

/** No id and no filter can match one, and PostgreSQL rejects a query that holds NUL. */
function refuseControlCharacters(app: FastifyInstance): void {
  app.addHook('preHandler', async ({ params, query }) => {
    const ids = Object.values(params as Record<string, string>);
    if (!ids.every(isPlainText)) throw new Problem('route_not_found');
    for (const [field, value] of Object.entries(query as Record<string, unknown>)) {
      if ([value].flat().every((one) => typeof one !== 'string' || isPlainText(one))) continue;
      throw invalidField(field, 'must have no control characters');
    }
  });
}
