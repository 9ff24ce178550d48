/** Serves the routes of a resource over HTTP, and describes them for the OpenAPI document. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import Type from 'typebox';
import type { EnvironmentName } from '../config/settings.ts';
import type { SupportEnvironment } from '../resources/environment.ts';
import type { Call, Route } from '../resources/route.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { actorOf, type SignIn } from './sign-in.ts';

/** What every route needs. */
export interface RouteParts {
  signIn: SignIn;
  backOfficeStore: BackOfficeStore;
  /** The environment in the address of the request. */
  environmentOf(request: { params: { environment: EnvironmentName } }): SupportEnvironment;
}

export function addRoutes(
  app: FastifyInstance,
  { signIn, backOfficeStore, environmentOf }: RouteParts,
  tag: string,
  routes: readonly Route[],
): void {
  const callOf = (request: FastifyRequest): Call => ({
    get environment() {
      return environmentOf(request as never);
    },
    backOfficeStore,
    actor: actorOf(request),
    params: request.params,
    query: request.query,
    body: request.body,
  });

  for (const { operation, method, url, params, summary, form, action } of routes) {
    const { may, needsAdmin, query, body, reply: shown, problems, more } = form;
    const status = shown ? (form.status ?? 200) : 204;
    app.route({
      method,
      url,
      onRequest: signIn[may],
      ...(needsAdmin && {
        preHandler: async (request) => {
          if (needsAdmin(request.body)) await signIn.administer(request);
        },
      }),
      config: { problems: problems ?? [] },
      schema: {
        tags: [tag],
        operationId: operation,
        summary,
        ...(more !== undefined && { description: more }),
        ...(params && { params }),
        ...(query && { querystring: query }),
        ...(body && { body }),
        response: { [status]: shown ?? Type.Null() },
      },
      handler: async (request, reply) => {
        const result = await action(callOf(request));
        reply.code(status);
        return shown ? result : reply.send(null);
      },
    });
  }
}
