import Type from 'typebox';
import { deleteGrant } from '../../support/grants/delete-grant.ts';
import { listGrants } from '../../support/grants/grants.ts';
import { putGrant } from '../../support/grants/put-grant.ts';
import { readUsage } from '../../support/grants/usage.ts';
import type { App, RouteParts } from '../app.ts';
import { query, wholeListOf } from '../schemas/forms.ts';
import { endpoint, Grant, GrantInput, GrantWithWarnings, Usage } from '../schemas/grants.ts';
import { oneKey } from '../schemas/keys.ts';
import { actorOf } from '../sign-in.ts';

export function grantRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  const base = '/support/v1/:environment/keys/:key_id/endpoints';

  app.get(
    base,
    {
      onRequest: signIn.reads,
      config: { problems: ['key_not_found'] },
      schema: {
        tags: ['grants'],
        operationId: 'listGrants',
        summary: "List a key's endpoints, as overview/ shows them",
        params: oneKey,
        response: { 200: wholeListOf(Grant) },
      },
    },
    async (request) => ({
      items: [...(await listGrants(environmentOf(request), request.params.key_id))],
      next_cursor: null,
    }),
  );

  app.put(
    base,
    {
      onRequest: signIn.changes,
      config: {
        problems: [
          'key_not_found',
          'key_revoked',
          'certification_required',
          'approval_required',
          'overview_always_active',
        ],
      },
      schema: {
        tags: ['grants'],
        operationId: 'putGrant',
        summary: 'Grant an endpoint, or change the grant',
        params: oneKey,
        body: GrantInput,
        response: { 200: GrantWithWarnings },
      },
    },
    (request) =>
      putGrant(environmentOf(request), actorOf(request), request.params.key_id, request.body),
  );

  app.delete(
    base,
    {
      onRequest: signIn.changes,
      config: {
        problems: ['key_not_found', 'endpoint_not_granted', 'key_revoked', 'overview_required'],
      },
      schema: {
        tags: ['grants'],
        operationId: 'deleteGrant',
        summary: 'Withdraw a grant',
        params: oneKey,
        querystring: query({ endpoint }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { params, query } = request;
      await deleteGrant(environmentOf(request), actorOf(request), params.key_id, query.endpoint);
      return reply.code(204).send(null);
    },
  );

  app.get(
    '/support/v1/:environment/keys/:key_id/usage',
    {
      onRequest: signIn.reads,
      config: { problems: ['key_not_found'] },
      schema: {
        tags: ['grants'],
        operationId: 'getUsage',
        summary: 'Show how much of each limit is used; does not count as a call',
        params: oneKey,
        response: { 200: wholeListOf(Usage) },
      },
    },
    async (request) => ({
      items: await readUsage(environmentOf(request), request.params.key_id),
      next_cursor: null,
    }),
  );
}
