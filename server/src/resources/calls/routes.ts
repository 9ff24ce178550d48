import { pageOfSchema } from '../forms.ts';
import { route } from '../route.ts';
import {
  Call,
  CallCodes,
  callCodesQuery,
  callsQuery,
  countListedCalls,
  keyCallsQuery,
  listCalls,
  listKeyCalls,
} from './calls.ts';

const ABOUT =
  'Calls show up about a second after they ended, and are kept for `BELLHOP_<ENV>_CALLS_RETENTION`. While a caller is refused more than 100 times a minute, one line stands for several calls (`sampled_from`).';

export const callRoutes = [
  route(
    'listKeyCalls',
    'GET keys/:key_id/calls',
    'List refused and failed calls of a key, newest first',
    {
      may: 'read',
      query: keyCallsQuery,
      reply: pageOfSchema(Call),
      problems: ['key_not_found'],
      more: ABOUT,
    },
    ({ params, query, ...support }) => listKeyCalls(support, params.key_id, query),
  ),
  route(
    'listCalls',
    'GET calls',
    'List refused and failed calls, newest first',
    { may: 'read', query: callsQuery, reply: pageOfSchema(Call), more: ABOUT },
    ({ query, ...support }) => listCalls(support, query),
  ),
  route(
    'countCalls',
    'GET calls/codes',
    'Count refused and failed calls by the reply that they got',
    { may: 'read', query: callCodesQuery, reply: CallCodes },
    ({ query, environment }) => countListedCalls({ environment }, query),
  ),
];
