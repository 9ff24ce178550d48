import { pageOfSchema } from '../forms.ts';
import { route } from '../route.ts';
import {
  answerLimitRequest,
  LimitAnswer,
  LimitRequest,
  limitRequestQuery,
  listLimitRequests,
} from './limit-request.ts';

export const limitRequestRoutes = [
  route(
    'listLimitRequests',
    'GET limit-requests',
    'List the limits that partners asked for in the portal, newest first',
    {
      may: 'read',
      query: limitRequestQuery,
      reply: pageOfSchema(LimitRequest),
    },
    ({ environment, query }) => listLimitRequests(environment, query),
  ),
  route(
    'answerLimitRequest',
    'POST limit-requests/:id/answer',
    'Grant or refuse a limit that a partner asked for',
    {
      may: 'change',
      body: LimitAnswer,
      reply: LimitRequest,
      problems: [
        'limit_request_not_found',
        'limit_request_answered',
        'key_revoked',
        'certification_required',
        'approval_required',
      ],
      more: 'Granting changes the limit by the rules of `putGrant`, together with the answer. The partner is told by a notice.',
    },
    ({ environment, actor, params, body }) =>
      answerLimitRequest(environment, actor, params.id, body),
  ),
];
