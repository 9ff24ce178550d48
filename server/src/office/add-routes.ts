/** Serves the routes of a resource over HTTP, and describes them for the OpenAPI document. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { TObject, TSchema } from 'typebox';
import type { EnvironmentName } from '../base/config/settings.ts';
import { askedBy, type SupportEnvironment } from '../resources/environment.ts';
import { flag, isOn, query as queryOf, Type } from '../resources/forms.ts';
import { DryRun, type Route, type SupportContext } from '../resources/route.ts';
import type { BackOfficeStore } from '../store/back-office/store.ts';
import { actorOf, type SignIn } from './sign-in.ts';

/** What every route of the back office needs. */
export interface RouteParts {
  signIn: SignIn;
  backOfficeStore: BackOfficeStore;
  environments: ReadonlyMap<EnvironmentName, SupportEnvironment>;
  /** The environment in the address of the request. */
  environmentOf(request: { params: { environment: EnvironmentName } }): SupportEnvironment;
}

/** Who may call, and what the actions get: the back office's or the portal's. */
export interface Serving<May extends string, Context> {
  /** Run before the body is read. */
  guards: Record<May, (request: FastifyRequest) => Promise<void>>;
  contextOf(request: FastifyRequest): Context;
}

export function supportServing({
  signIn,
  backOfficeStore,
  environments,
  environmentOf,
}: RouteParts): Serving<'read' | 'change' | 'administer', SupportContext> {
  return {
    guards: signIn,
    contextOf(request) {
      const actor = actorOf(request);
      return {
        get environment() {
          const params = request.params as { environment: EnvironmentName };
          return askedBy(actor, environmentOf({ params }));
        },
        get environments() {
          return [...environments.values()].map((one) => askedBy(actor, one));
        },
        backOfficeStore: { ...backOfficeStore, db: backOfficeStore.dbFor(actor) },
        actor,
      };
    },
  };
}

export function addRoutes<May extends string, Context extends object>(
  app: FastifyInstance,
  { guards, contextOf }: Serving<May, Context>,
  tag: string,
  routes: readonly Route<May, Context>[],
): void {
  for (const { operation, method, url, params, summary, form, action, dryRun } of routes) {
    const { may, needsMore, query: ownQuery, body, reply: shown, problems, more } = form;
    const status = shown ? (form.status ?? 200) : 204;
    const query = dryRun ? withDryRun(ownQuery) : ownQuery;
    app.route({
      method,
      url,
      onRequest: guards[may],
      ...(needsMore && {
        preHandler: async (request) => {
          if (needsMore.when(request.body)) await guards[needsMore.may](request);
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
        response: {
          [status]: shown ?? Type.Null(),
          ...(dryRun && { 200: shown ? Type.Union([shown, DryRun]) : DryRun }),
        },
      },
      // Two kinds of reply have one schema, and choosing between them by it would cost more than writing them.
      ...(dryRun && { serializerCompiler: () => JSON.stringify }),
      handler: async (request, reply) => {
        const { params, query, body } = request;
        // The context may have getters, which a spread would call.
        const call = Object.assign(contextOf(request), { params, query, body });
        if (dryRun && isOn((query as { dry_run?: string }).dry_run)) return dryRun(call);
        const result = await action(call);
        reply.code(status);
        return shown ? result : reply.send(null);
      },
    });
  }
}

function withDryRun(query: TSchema | undefined): TSchema {
  const own = (query as TObject | undefined)?.properties;
  const description =
    'Changes nothing. Tells how many calls of the last hours would be refused now.';
  return queryOf({ ...own, dry_run: flag(description) });
}
