/**
 * The back office's HTTP server: it signs people and programs in, checks what they send against the
 * schemas, hands it to the support team's verbs, and turns whatever goes wrong into a problem.
 */
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import swagger from '@fastify/swagger';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, { type FastifyError, type FastifyInstance } from 'fastify';
import type { Cidr } from '../addresses/addresses.ts';
import type { Clock } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import { boundConnections } from '../listening/connections.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { DatabaseAway } from '../store/database-away.ts';
import { storageTroubleOf } from '../store/storage-trouble.ts';
import type { Desk } from '../support/desk.ts';
import { Problem } from '../support/problem.ts';
import { VERSION } from '../version.ts';
import { type ConsoleFiles, loadConsoleFiles } from './console-files.ts';
import { noteMethods } from './methods.ts';
import { partnerDocument } from './openapi-partner.ts';
import { webhooks } from './openapi-webhook.ts';
import { createOwnPages, type OwnPages } from './own-pages.ts';
import type { PartnerSide } from './partner-side.ts';
import { preparedJson } from './prepared-json.ts';
import { consoleRoutes } from './routes/console.ts';
import { deliveryRoutes } from './routes/deliveries.ts';
import { healthRoutes } from './routes/health.ts';
import { keyRoutes } from './routes/keys.ts';
import { midofficeRoutes } from './routes/midoffices.ts';
import { orderRoutes } from './routes/orders.ts';
import { partnerRoutes } from './routes/partners.ts';
import { sessionRoutes } from './routes/session.ts';
import { tokenRoutes } from './routes/tokens.ts';
import { addSecurityHeaders, SECURITY_HEADERS } from './security-headers.ts';
import { createSessions, type Sessions } from './session.ts';
import { createSignIn, type SignIn } from './sign-in.ts';

const LARGEST_BODY_BYTES = 1_048_576;
const REQUEST_TIMEOUT_MS = 60_000;
/** As the partner API's: longer than the idle time of common load balancers. */
const KEEP_ALIVE_MS = 75_000;
/** For a disk that is full or worse: until someone has done something about it. */
const RETRY_AFTER_STORAGE_SECONDS = 10;
/** A database that does not answer is mostly back within seconds. */
const RETRY_AFTER_DATABASE_SECONDS = 1;
const CONSOLE = fileURLToPath(new URL('../../../console/dist', import.meta.url));

export interface BackOffice {
  desks: ReadonlyMap<EnvironmentName, Desk>;
  /** Tokens, sessions, and the audit of tokens. */
  tokenStore: BackOfficeStore;
  partnerSide: PartnerSide;
  /** A sentence while the thread of the partner API does not answer. */
  trouble(): string | undefined;
  trustedProxies: readonly Cidr[];
  clock: Clock;
  metrics: Metrics;
  log: Log;
}

export interface RouteParts extends BackOffice {
  signIn: SignIn;
  sessions: Sessions;
  ownPages: OwnPages;
  /** The desk of the environment that the address names. */
  deskOf(request: { params: { environment: EnvironmentName } }): Desk;
}

export type App = ReturnType<typeof bare>;

export async function createBackOffice(parts: BackOffice): Promise<App> {
  const app = bare(parts, loadConsoleFiles(CONSOLE));
  const ownPages = createOwnPages(parts.trustedProxies);
  const sessions = createSessions(parts.tokenStore, parts.clock, ownPages);
  const routeParts: RouteParts = {
    ...parts,
    sessions,
    ownPages,
    signIn: createSignIn(parts.tokenStore, sessions, ownPages),
    deskOf({ params: { environment } }) {
      const desk = parts.desks.get(environment);
      if (!desk) throw new Problem('environment_not_found');
      return desk;
    },
  };
  await app.register(swagger, { openapi: openApiFrame() });
  app.addHook('onRoute', (route) => {
    // HEAD would sign in and read like GET; nobody asked for it.
    if (route.method === 'HEAD') route.schema = { ...route.schema, hide: true };
  });
  app.after(() => {
    healthRoutes(app, routeParts);
    orderRoutes(app, routeParts);
    partnerRoutes(app, routeParts);
    keyRoutes(app, routeParts);
    midofficeRoutes(app, routeParts);
    deliveryRoutes(app, routeParts);
    tokenRoutes(app, routeParts);
    consoleRoutes(app, routeParts);
    sessionRoutes(app, routeParts);
    app.get(
      '/openapi.json',
      { schema: { hide: true } },
      preparedJson(() => app.swagger()),
    );
    app.get('/openapi/partner.json', { schema: { hide: true } }, preparedJson(partnerDocument));
  });
  await app.ready();
  return app;
}

function bare({ log, trustedProxies, metrics }: BackOffice, consoleFiles: ConsoleFiles) {
  const connections = boundConnections({ listener: 'back-office', trustedProxies, metrics });
  const app = Fastify({
    serverFactory(handler) {
      const server = createServer(
        {
          ...connections.serverOptions,
          requestTimeout: REQUEST_TIMEOUT_MS,
          keepAliveTimeout: KEEP_ALIVE_MS,
        },
        connections.inTurn(handler),
      );
      connections.watch(server);
      return server;
    },
    loggerInstance: undefined,
    logger: false,
    bodyLimit: LARGEST_BODY_BYTES,
    routerOptions: { maxParamLength: 300 },
    // An address that cannot be decoded, or an id longer than any.
    frameworkErrors: (_error, _request, reply) => {
      reply.headers(SECURITY_HEADERS);
      sendProblem(reply as unknown as Reply, new Problem('route_not_found'));
    },
    ajv: {
      customOptions: { removeAdditional: false, coerceTypes: false, allErrors: true },
      onCreate: (ajv) => {
        ajv.addFormat('text', isPlainText);
        ajv.addFormat('any-text', isStorable);
      },
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  addSecurityHeaders(app as unknown as FastifyInstance);
  acceptEmptyBodies(app as unknown as FastifyInstance);
  refuseControlCharacters(app as unknown as FastifyInstance);
  app.setErrorHandler((error, request, reply) => {
    const problem = problemFrom(error as FastifyError);
    // Of a disk that is full or worse the store itself tells, once when it begins and once when it ends.
    const isTold = storageTroubleOf(error) !== undefined;
    if (problem.status >= 500 && !isTold) {
      log.error({ err: error, url: request.url }, 'back office fault');
    }
    sendProblem(reply, problem);
  });
  const methodsAt = noteMethods(app as unknown as FastifyInstance);
  app.setNotFoundHandler(async (request, reply) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD';
    const [path = ''] = request.url.split('?');
    const file = isRead ? await consoleFiles(path, request.headers) : undefined;
    if (file) return reply.code(file.status).headers(file.headers).send(file.body);
    const methods = methodsAt(request.url);
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    sendProblem(reply, new Problem(methods.length > 0 ? 'method_not_allowed' : 'route_not_found'));
    return reply;
  });
  return app;
}

type Reply = Parameters<Parameters<FastifyInstance['setErrorHandler']>[0]>[2];

function retryAfterSeconds({ code }: Problem): number {
  return code === 'database_unavailable'
    ? RETRY_AFTER_DATABASE_SECONDS
    : RETRY_AFTER_STORAGE_SECONDS;
}

function sendProblem(reply: Reply, problem: Problem): void {
  if (problem.status === 401)
    reply.header('www-authenticate', 'Bearer realm="Bellhop back office"');
  if (problem.status === 503) reply.header('retry-after', String(retryAfterSeconds(problem)));
  // Serialised by hand: a route's own schema for this status must not drop fields.
  reply
    .code(problem.status)
    .type('application/problem+json')
    .serializer((body: string) => body)
    .send(JSON.stringify(problem));
}

/** A call whose fields are all optional may come without any body. */
function acceptEmptyBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  // Fastify takes text/plain as well, and no schema would fit it.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (body.length === 0) return done(null, {});
    let text: string;
    try {
      // Bytes that are no UTF-8 would be stored as something that nobody sent.
      text = new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer);
    } catch {
      return done(new Problem('malformed_json', 'The body is not UTF-8.'));
    }
    parse(request, text, done);
  });
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined || request.body === null) request.body = {};
  });
}

/** No id and no filter can match one, and PostgreSQL cannot even be asked about NUL. */
function refuseControlCharacters(app: FastifyInstance): void {
  app.addHook('preHandler', async ({ params, query }) => {
    const ids = Object.values(params as Record<string, string>);
    if (!ids.every(isPlainText)) throw new Problem('route_not_found');
    for (const [field, value] of Object.entries(query as Record<string, string | string[]>)) {
      if ([value].flat().every(isPlainText)) continue;
      const detail = 'must have no control characters';
      throw new Problem('validation_failed', `${field} ${detail}.`, [{ field, detail }]);
    }
  });
}

function problemFrom(error: FastifyError | Problem): Problem {
  if (error instanceof Problem) return error;
  const trouble = storageTroubleOf(error);
  if (trouble) return new Problem(trouble);
  if (error instanceof DatabaseAway) return new Problem('database_unavailable');
  if (error.validation) {
    // 'if' only says that one of the others was found.
    const found = error.validation.filter((one) => one.keyword !== 'if');
    const errors = found.map((one) => ({
      field: fieldOf(one, error.validationContext),
      detail: detailOf(one),
    }));
    // The form of each alternative says the same of a body that is none of them.
    const details = new Set(errors.map(({ field, detail }) => `${field || 'The body'} ${detail}`));
    const detail = [...details].join('; ');
    const inAddress = error.validationContext === 'params';
    return inAddress
      ? new Problem('environment_not_found')
      : new Problem('validation_failed', `${detail}.`, errors);
  }
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('body_too_large');
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type');
    default:
      return error.statusCode === 400
        ? new Problem('malformed_json')
        : new Problem('internal_error');
  }
}

type ValidationError = NonNullable<FastifyError['validation']>[number];

/** In words for people, where the validator's own are for those who know schemas. */
function detailOf({ keyword, params, message }: ValidationError): string {
  switch (keyword) {
    case 'required':
      return 'is missing';
    case 'additionalProperties':
      return 'is not known here';
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`;
    default:
      return message ?? 'is not valid';
  }
}

function fieldOf(error: ValidationError, context: string | undefined): string {
  const { additionalProperty, missingProperty } = error.params as Record<string, string>;
  const last = additionalProperty ?? missingProperty;
  const pointer = last ? `${error.instancePath}/${last}` : error.instancePath;
  return context === 'querystring' ? pointer.slice(1) : pointer;
}

function isPlainText(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return value.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(value);
}

/** PostgreSQL cannot hold NUL, and half a surrogate pair would not come back as it was. */
function isStorable(value: string): boolean {
  return value.isWellFormed() && !value.includes('\0');
}

function openApiFrame() {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bellhop back office',
      version: VERSION,
      description: 'For the API support team, the booking core and operators.',
    },
    components: {
      securitySchemes: {
        token: { type: 'http' as const, scheme: 'bearer' },
        session: {
          type: 'apiKey' as const,
          in: 'cookie' as const,
          name: 'bellhop_session',
          description:
            "The console's; over TLS its name is `__Host-bellhop_session`. Every request but GET must then carry `X-Bellhop-Console: 1` as well, and come from the console's own pages by `Sec-Fetch-Site` and `Origin`.",
        },
      },
    },
    security: [{ token: [] }, { session: [] }] as Record<string, string[]>[],
    webhooks: webhooks as Record<string, object>,
  };
}
