import Type from 'typebox';
import { createKey } from '../../support/keys/create-key.ts';
import { getKey } from '../../support/keys/keys.ts';
import { countListedKeys, keySorts, listKeys } from '../../support/keys/list-keys.ts';
import { revokeKey } from '../../support/keys/revoke-key.ts';
import { rotateKey } from '../../support/keys/rotate-key.ts';
import { updateKey } from '../../support/keys/update-key.ts';
import type { App, RouteParts } from '../app.ts';
import {
  Count,
  filter,
  inEnvironment,
  pageOfSchema,
  pageQuery,
  query,
  reason,
  sortBy,
} from '../schemas/forms.ts';
import { Key, KeyChanges, KeyWithSecret, NewKey, oneKey, Rotation } from '../schemas/keys.ts';
import { onePartner } from '../schemas/partners.ts';
import { actorOf } from '../sign-in.ts';

export function keyRoutes(app: App, { signIn, environmentOf }: RouteParts): void {
  const base = '/support/v1/:environment/keys';
  const keyFilter = { partner_id: filter() };

  app.get(
    base,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['keys'],
        operationId: 'listKeys',
        summary: 'List keys',
        params: inEnvironment,
        querystring: query({ ...pageQuery, ...keyFilter, ...sortBy(keySorts) }),
        response: { 200: pageOfSchema(Key) },
      },
    },
    (request) => listKeys(environmentOf(request), request.query),
  );

  app.get(
    `${base}/count`,
    {
      onRequest: signIn.reads,
      schema: {
        tags: ['keys'],
        operationId: 'countKeys',
        summary: 'Count keys',
        params: inEnvironment,
        querystring: query(keyFilter),
        response: { 200: Count },
      },
    },
    (request) => countListedKeys(environmentOf(request), request.query),
  );

  app.get(
    `${base}/:key_id`,
    {
      onRequest: signIn.reads,
      config: { problems: ['key_not_found'] },
      schema: {
        tags: ['keys'],
        operationId: 'getKey',
        summary: 'Show a key',
        params: oneKey,
        response: { 200: Key },
      },
    },
    (request) => getKey(environmentOf(request), request.params.key_id),
  );

  app.patch(
    `${base}/:key_id`,
    {
      onRequest: signIn.changes,
      config: { problems: ['key_not_found', 'key_revoked'] },
      schema: {
        tags: ['keys'],
        operationId: 'updateKey',
        summary: 'Change the label, expiry or allowed addresses of a key, or disable it',
        params: oneKey,
        body: KeyChanges,
        response: { 200: Key },
      },
    },
    (request) =>
      updateKey(environmentOf(request), actorOf(request), request.params.key_id, request.body),
  );

  app.delete(
    `${base}/:key_id`,
    {
      onRequest: signIn.changes,
      config: { problems: ['key_not_found'] },
      schema: {
        tags: ['keys'],
        operationId: 'revokeKey',
        summary: 'Revoke a key for good',
        params: oneKey,
        querystring: query({ reason: Type.Optional(reason) }),
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { params, query } = request;
      await revokeKey(environmentOf(request), actorOf(request), params.key_id, query);
      return reply.code(204).send(null);
    },
  );

  app.post(
    `${base}/:key_id/rotation`,
    {
      onRequest: signIn.changes,
      config: { problems: ['key_not_found', 'key_revoked', 'too_many_overlaps'] },
      schema: {
        tags: ['keys'],
        operationId: 'rotateKey',
        summary: 'Rotate a key; the new API key is shown only this once',
        params: oneKey,
        body: Rotation,
        response: { 200: KeyWithSecret },
      },
    },
    (request) =>
      rotateKey(environmentOf(request), actorOf(request), request.params.key_id, request.body),
  );

  app.post(
    '/support/v1/:environment/partners/:id/keys',
    {
      onRequest: signIn.changes,
      // A person who chooses an API key can use it later.
      preHandler: async (request) => {
        if (request.body.key_id !== undefined) await signIn.administers(request);
      },
      config: { problems: ['partner_not_found', 'key_id_taken'] },
      schema: {
        tags: ['keys'],
        operationId: 'createKey',
        summary: 'Create a key; its API key is shown only this once',
        description:
          'With `key_id` and `api_key`, takes over a key that the partner uses already. That needs the role admin.',
        params: onePartner,
        body: NewKey,
        response: { 201: KeyWithSecret },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(
          await createKey(
            environmentOf(request),
            actorOf(request),
            request.params.id,
            request.body,
          ),
        ),
  );
}
