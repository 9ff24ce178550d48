import { effectsOnKey, withoutEffect } from '../dry-run.ts';
import { story } from '../examples.ts';
import { Count, pageOfSchema, pageQuery, query, reason, wholeListOf } from '../forms.ts';
import { route } from '../route.ts';
import { Type } from '../type.ts';
import { ApiKeyInForce, listApiKeys } from './api-keys.ts';
import { revokeKey, updateKey } from './change-key.ts';
import { createKey } from './create-key.ts';
import {
  countListedKeys,
  getKey,
  Key,
  KeyChanges,
  KeyWithSecret,
  keyFilter,
  keyList,
  NewKey,
} from './key.ts';
import { ListedKey, listNamedKeys } from './list-keys.ts';
import { Rotation, rotateKey } from './rotate-key.ts';

const ONE = 'keys/:key_id';
const keyQuery = query({ ...pageQuery, ...keyFilter, ...keyList.query });

export const keyRoutes = [
  route(
    'listKeys',
    'GET keys',
    'List keys',
    {
      may: 'read',
      query: keyQuery,
      reply: pageOfSchema(ListedKey, `${story.atMs}-${story.keyId}`),
    },
    ({ environment, query }) => listNamedKeys(environment, query),
  ),
  route(
    'countKeys',
    'GET keys/count',
    'Count keys',
    { may: 'read', query: query({ ...keyFilter, ...keyList.countQuery }), reply: Count },
    ({ environment, query }) => countListedKeys(environment, query),
  ),
  route(
    'getKey',
    `GET ${ONE}`,
    'Show a key',
    { may: 'read', reply: Key, problems: ['key_not_found'] },
    ({ environment, params }) => getKey(environment, params.key_id),
  ),
  route(
    'updateKey',
    `PATCH ${ONE}`,
    'Change the label, expiry or allowed addresses of a key, or disable it',
    { may: 'change', body: KeyChanges, reply: Key, problems: ['key_not_found', 'key_revoked'] },
    ({ environment, actor, params, body }) => updateKey(environment, actor, params.key_id, body),
    async ({ environment, actor, params: { key_id }, body }) => {
      const before = await getKey(environment, key_id);
      const after = await updateKey(withoutEffect(environment), actor, key_id, body);
      return effectsOnKey(environment, before, after);
    },
  ),
  route(
    'revokeKey',
    `DELETE ${ONE}`,
    'Revoke a key for good',
    {
      may: 'change',
      query: query({ reason: Type.Optional(reason) }),
      problems: ['key_not_found'],
    },
    ({ environment, actor, params, query }) => revokeKey(environment, actor, params.key_id, query),
  ),
  route(
    'listApiKeys',
    `GET ${ONE}/api-keys`,
    'List the API keys that a key works with now, and which of them are used',
    { may: 'read', reply: wholeListOf(ApiKeyInForce), problems: ['key_not_found'] },
    async ({ environment, params }) => ({
      items: await listApiKeys(environment, params.key_id),
      next_cursor: null,
    }),
  ),
  route(
    'rotateKey',
    `POST ${ONE}/rotation`,
    'Rotate a key; the new API key is shown only this once',
    {
      may: 'change',
      body: Rotation,
      reply: KeyWithSecret,
      problems: ['key_not_found', 'key_revoked', 'too_many_overlaps'],
    },
    ({ environment, actor, params, body }) => rotateKey(environment, actor, params.key_id, body),
  ),
  route(
    'createKey',
    'POST partners/:id/keys',
    'Create a key; its API key is shown only this once',
    {
      may: 'change',
      // A person who chooses an API key can use it later.
      needsMore: { may: 'administer', when: (body) => body.key_id !== undefined },
      body: NewKey,
      reply: KeyWithSecret,
      status: 201,
      problems: ['partner_not_found', 'key_id_taken'],
      more: 'With `key_id` and `api_key`, takes over a key that the partner uses already. That needs the role admin.',
    },
    ({ environment, actor, params, body }) => createKey(environment, actor, params.id, body),
  ),
];
