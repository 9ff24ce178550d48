import { route } from '../route.ts';
import {
  historyQuery,
  readKeyHistory,
  readKeyPeaks,
  readPartnerHistory,
  UsageHistory,
  UsagePeaks,
} from './history.ts';
import { LimitTrial, limitTrialQuery, readLimitTrial, TRIAL_DAYS } from './limit-trial.ts';

const ABOUT =
  'Calls are counted in the hour in which they end, and show up here at most about 10 seconds later.';

export const usageHistoryRoutes = [
  route(
    'getKeyHistory',
    'GET keys/:key_id/history',
    'Show how a key was used, by hour or by day',
    {
      may: 'read',
      query: historyQuery,
      reply: UsageHistory,
      problems: ['key_not_found'],
      more: ABOUT,
    },
    async ({ environment, params, query }) => ({
      items: await readKeyHistory(environment, params.key_id, query),
    }),
  ),
  route(
    'getPartnerHistory',
    'GET partners/:id/history',
    "Show how all of a partner's keys were used, by hour or by day",
    {
      may: 'read',
      query: historyQuery,
      reply: UsageHistory,
      problems: ['partner_not_found'],
      more: `${ABOUT} Revoked keys are included.`,
    },
    async ({ environment, params, query }) => ({
      items: await readPartnerHistory(environment, params.id, query),
    }),
  ),
  route(
    'tryLimit',
    'GET keys/:key_id/limit-trial',
    `Tell how many calls of the last ${TRIAL_DAYS} days another limit would have refused`,
    {
      may: 'read',
      query: limitTrialQuery,
      reply: LimitTrial,
      problems: ['key_not_found'],
      more: 'A range, because the usage history counts calls by the hour. Changes nothing.',
    },
    ({ environment, params, query }) => readLimitTrial(environment, params.key_id, query),
  ),
  route(
    'getKeyPeaks',
    'GET keys/:key_id/peaks',
    "Show the highest use of each of a key's limits in the last 30 days",
    { may: 'read', reply: UsagePeaks, problems: ['key_not_found'] },
    async ({ environment, params }) => ({
      items: await readKeyPeaks(environment, params.key_id),
      next_cursor: null,
    }),
  ),
];
