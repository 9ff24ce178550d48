/** What the back office, the portal and a listener for health checks alone have in common: the server, and answers to what is wrong. */
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyTypeProviderDefault,
} from 'fastify';
import type { Cidr } from '../base/addresses/addresses.ts';
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { loggedPath } from '../base/logging/logged-path.ts';
import type { Metrics } from '../base/metrics.ts';
import type { Certificate } from '../listener/certificate.ts';
import { isValidMessage } from '../listener/valid-message.ts';
import { Problem } from '../resources/problem.ts';
import { storageTroubleOf } from '../store/storage-trouble.ts';
import { SMALLEST_BOUNDS } from './body-bounds.ts';
import type { SendFile } from './built-files.ts';
import { createHttpServer, createParserRefusals } from './http-server.ts';
import type { Methods } from './methods.ts';
import { problemFrom, sendProblem } from './problem-replies.ts';
import { SECURITY_HEADERS } from './security-headers.ts';
import type { SecurityLog } from './security-log.ts';

const LONGEST_ID = 300;

export interface HttpParts {
  /** For the metrics and the log. */
  listener: 'back-office' | 'portal';
  trustedProxies: readonly Cidr[];
  clock: Clock;
  metrics: Metrics;
  /** Undefined if the listener speaks plain HTTP. */
  certificate?: Certificate | undefined;
}

export type App = ReturnType<typeof createApp>;

/** Returns whether it takes the request; it may still hand it over later. */
export type QuickWay = (
  request: IncomingMessage,
  response: ServerResponse,
  handOver: () => void,
) => boolean;

declare module 'fastify' {
  interface FastifyInstance {
    /** If it has a `quickWay`, every request is offered to that before Fastify gets it. */
    first: { quickWay?: QuickWay };
  }
}

export function createApp({ clock, ...parts }: HttpParts) {
  const first: FastifyInstance['first'] = {};
  const app = Fastify({
    serverFactory(handler) {
      const serve: RequestListener = (request, response) => {
        const handOver = () => handler(request, response);
        if (!first.quickWay?.(request, response, handOver)) handOver();
      };
      return createHttpServer(serve, { clock, ...parts });
    },
    clientErrorHandler: createParserRefusals(clock),
    logger: false,
    // At an address that does not exist; each route has its own.
    bodyLimit: SMALLEST_BOUNDS.bytes,
    routerOptions: { maxParamLength: LONGEST_ID },
    // The address cannot be decoded, or an id in it is too long. No hook runs in these cases.
    frameworkErrors: (_error, { raw }, reply) => {
      reply.headers(SECURITY_HEADERS);
      const code = isValidMessage(raw) ? 'route_not_found' : 'malformed_request';
      sendProblem(reply, new Problem(code), clock);
    },
  }).withTypeProvider<TypeBoxTypeProvider>();
  return app.decorate('first', first);
}

/** For what knows no schemas, such as hooks, or has them in a table. */
export function plain(app: App): FastifyInstance {
  return app.withTypeProvider<FastifyTypeProviderDefault>();
}

/** A scope inside the app, with its types. */
export function typed(scope: FastifyInstance): App {
  return scope.withTypeProvider<TypeBoxTypeProvider>();
}

export function refuseInvalidMessages(app: FastifyInstance): void {
  app.addHook('onRequest', ({ raw }, _reply, done) => {
    done(isValidMessage(raw) ? undefined : new Problem('malformed_request'));
  });
}

export function answerErrors(
  app: FastifyInstance,
  { listener, clock, log, securityLog, answerNotFound }: ErrorParts,
): void {
  app.setErrorHandler((error, request, reply) => {
    // An error of the request's own stream means that the caller has gone: nothing failed here.
    const problem =
      error === request.raw.errored
        ? new Problem('malformed_request', 'The body ended before it was complete.')
        : problemFrom(error as FastifyError, request.routeOptions.bodyLimit);
    // At an address that does not exist, errors in the body do not matter.
    if (request.is404 && problem.status < 500 && problem.code !== 'malformed_request') {
      answerNotFound(request, reply);
      return;
    }
    // The store logs disk errors itself: once when they begin and once when they end.
    const isLogged = storageTroubleOf(error) !== undefined;
    if (problem.status >= 500 && !isLogged) {
      log.error({ err: error, path: loggedPath(request) }, FAULTS[listener]);
    }
    securityLog.refused(request, problem);
    sendProblem(reply, problem, clock);
  });
}

const FAULTS = { 'back-office': 'back office fault', portal: 'portal fault' };

interface ErrorParts {
  listener: HttpParts['listener'];
  clock: Clock;
  log: Log;
  securityLog: SecurityLog;
  answerNotFound: NotFound;
}

type NotFound = (request: FastifyRequest, reply: FastifyReply) => void;

/** Requests without a route get a page or a file of the documentation, if they are served, or a problem that lists the address's methods. */
export function answerTheRest(
  app: FastifyInstance,
  { methods: { at }, sendFile, clock }: { methods: Methods; sendFile?: SendFile; clock: Clock },
): NotFound {
  const answerNotFound: NotFound = ({ url }, reply) => {
    const methods = at(url);
    if (methods.length > 0) reply.header('allow', methods.join(', '));
    const code = methods.length > 0 ? 'method_not_allowed' : 'route_not_found';
    sendProblem(reply, new Problem(code), clock);
  };
  app.setNotFoundHandler((request, reply) => {
    if (!sendFile?.(request, reply)) answerNotFound(request, reply);
  });
  return answerNotFound;
}
