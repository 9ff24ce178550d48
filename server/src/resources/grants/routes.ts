import { effectsOnGrant, withoutEffect } from '../dry-run.ts';
import { query, wholeListOf } from '../forms.ts';
import { route } from '../route.ts';
import { endpoint, Grant, GrantInput, GrantWithWarnings } from './grant.ts';
import { deleteGrant, grantOf, listGrants, putGrant } from './grants.ts';
import { readUsage, Usage } from './usage.ts';

const ALL = 'keys/:key_id/endpoints';

export const grantRoutes = [
  route(
    'listGrants',
    `GET ${ALL}`,
    "List a key's endpoints, as overview/ shows them",
    { may: 'read', reply: wholeListOf(Grant), problems: ['key_not_found'] },
    async ({ environment, params }) => ({
      items: [...(await listGrants(environment, params.key_id))],
      next_cursor: null,
    }),
  ),
  route(
    'putGrant',
    `PUT ${ALL}`,
    'Grant an endpoint, or change the grant',
    {
      may: 'change',
      body: GrantInput,
      reply: GrantWithWarnings,
      problems: [
        'key_not_found',
        'key_revoked',
        'certification_required',
        'approval_required',
        'overview_always_active',
      ],
    },
    ({ environment, actor, params, body }) => putGrant(environment, actor, params.key_id, body),
    async ({ environment, actor, params: { key_id }, body }) => {
      const before = await grantOf(environment, key_id, body.endpoint);
      const after = await putGrant(withoutEffect(environment), actor, key_id, body);
      return effectsOnGrant(environment, key_id, before, after);
    },
  ),
  route(
    'deleteGrant',
    `DELETE ${ALL}`,
    'Withdraw a grant',
    {
      may: 'change',
      query: query({ endpoint }),
      problems: ['key_not_found', 'endpoint_not_granted', 'key_revoked', 'overview_required'],
    },
    ({ environment, actor, params, query }) =>
      deleteGrant(environment, actor, params.key_id, query.endpoint),
    async ({ environment, actor, params: { key_id }, query: { endpoint } }) => {
      const before = await grantOf(environment, key_id, endpoint);
      await deleteGrant(withoutEffect(environment), actor, key_id, endpoint);
      return effectsOnGrant(environment, key_id, before, undefined);
    },
  ),
  route(
    'getUsage',
    'GET keys/:key_id/usage',
    'Show how much of each limit is used; does not count as a call',
    { may: 'read', reply: wholeListOf(Usage), problems: ['key_not_found'] },
    async ({ environment, params }) => ({
      items: await readUsage(environment, params.key_id),
      next_cursor: null,
    }),
  ),
];
