import Type from 'typebox';
import { deleteGrant } from '../../support/delete-grant.ts';
import { listGrants } from '../../support/grants.ts';
import { getKey, listKeys } from '../../support/keys.ts';
import { putGrant } from '../../support/put-grant.ts';
import { revokeKey } from '../../support/revoke-key.ts';
import { rotateKey } from '../../support/rotate-key.ts';
import { updateKey } from '../../support/update-key.ts';
import { readUsage } from '../../support/usage.ts';
import type { App, RouteParts } from '../app.ts';
import {
  environmentParams,
  Grant,
  GrantInput,
  GrantWithWarnings,
  input,
  Key,
  KeyChanges,
  KeyWithSecret,
  pageOfSchema,
  pageQuery,
  Rotation,
  Usage,
} from '../schemas.ts';
import { actorOf } from '../sign-in.ts';

const oneKey = Type.Object({ ...environmentParams, key_id: Type.String() });

export function keyRoutes(app: App, { signIn, deskOf }: RouteParts): void {
  const base = '/support/v1/:environment/keys';

  app.get(
    base,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['keys'],
        summary: 'List keys, newest first',
        params: Type.Object(environmentParams),
        querystring: input({ ...pageQuery, partner_id: Type.Optional(Type.String()) }),
        response: { 200: pageOfSchema(Key) },
      },
    },
    (request) => listKeys(deskOf(request), request.query),
  );

  app.get(
    `${base}/:key_id`,
    {
      onRequest: signIn.reads,
      schema: { tags: ['keys'], summary: 'Show a key', params: oneKey, response: { 200: Key } },
    },
    (request) => getKey(deskOf(request), request.params.key_id),
  );

  app.patch(
    `${base}/:key_id`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['keys'],
        summary: 'Relabel, disable, limit in time or by address',
        params: oneKey,
        body: KeyChanges,
        response: { 200: Key },
      },
    },
    (request) => updateKey(deskOf(request), actorOf(request), request.params.key_id, request.body),
  );

  app.delete(
    `${base}/:key_id`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['keys'],
        summary: 'Revoke a key for good',
        params: oneKey,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await revokeKey(deskOf(request), actorOf(request), request.params.key_id);
      return reply.code(204).send(null);
    },
  );

  app.post(
    `${base}/:key_id/rotation`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['keys'],
        summary: 'Give the key a new API key, shown this once',
        params: oneKey,
        body: Rotation,
        response: { 200: KeyWithSecret },
      },
    },
    (request) => rotateKey(deskOf(request), actorOf(request), request.params.key_id, request.body),
  );

  app.get(
    `${base}/:key_id/endpoints`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['grants'],
        summary: "The key's endpoints, as overview/ shows them",
        params: oneKey,
        response: { 200: Type.Object({ items: Type.Array(Grant), next_cursor: Type.Null() }) },
      },
    },
    async (request) => ({
      items: [...(await listGrants(deskOf(request), request.params.key_id))],
      next_cursor: null,
    }),
  );

  app.put(
    `${base}/:key_id/endpoints`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['grants'],
        summary: 'Grant an endpoint, or change the grant',
        params: oneKey,
        body: GrantInput,
        response: { 200: GrantWithWarnings },
      },
    },
    (request) => putGrant(deskOf(request), actorOf(request), request.params.key_id, request.body),
  );

  app.delete(
    `${base}/:key_id/endpoints`,
    {
      onRequest: signIn.changes,
      schema: {
        tags: ['grants'],
        summary: 'Take a grant away',
        params: oneKey,
        querystring: input({ endpoint: Type.String({ maxLength: 200 }) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { endpoint } = request.query;
      await deleteGrant(deskOf(request), actorOf(request), request.params.key_id, endpoint);
      return reply.code(204).send(null);
    },
  );

  app.get(
    `${base}/:key_id/usage`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['grants'],
        summary: 'Where the key stands with each endpoint; uses nothing up',
        params: oneKey,
        response: { 200: Type.Object({ items: Type.Array(Usage), next_cursor: Type.Null() }) },
      },
    },
    async (request) => ({
      items: await readUsage(deskOf(request), request.params.key_id),
      next_cursor: null,
    }),
  );
}
