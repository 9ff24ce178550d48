import Type from 'typebox';
import { usageSteps } from '../../usage-history/steps.ts';
import { givenTime, orNull, query, reply, wholeListOf, words } from '../forms.ts';
import { endpoint } from '../grants/grant.ts';

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

export const historyQuery = query({
  step: Type.Optional(
    words(usageSteps, {
      title: 'UsageStep',
      description:
        'Hours are kept for 90 days, days for 25 months, both in UTC. `hour` if not given.',
    }),
  ),
  since: Type.Optional(
    givenTime(
      'The hour or day of this time is the first. If not given, 7 days before `until` by hour, 90 days by day.',
    ),
  ),
  until: Type.Optional(
    givenTime('Hours or days that begin at this time or later are left out. Now if not given.'),
  ),
  endpoint: Type.Optional(endpoint),
});

export const UsageHistory = reply('UsageHistory', {
  items: Type.Array(
    reply('UsageHistoryItem', {
      at: Type.String({
        format: 'date-time',
        description: 'The beginning of the hour or day in UTC.',
      }),
      endpoint: Type.String(),
      admitted: Type.Integer({ description: 'Calls that the limit let in.' }),
      refused: Type.Integer({ description: 'Calls refused because the limit was used up.' }),
      failed: Type.Integer({
        description: 'Calls that ended with a 5xx status or without a complete reply.',
      }),
      peak_share: orNull(
        share('The highest share of the limit that was used at once; null if there was no limit.'),
      ),
    }),
    { description: 'By time and endpoint. Hours and days without calls are left out.' },
  ),
});

export const UsagePeaks = wholeListOf(
  reply('UsagePeak', {
    endpoint: Type.String(),
    calls: Type.Integer({ description: 'The most calls that counted in one window.' }),
    share: share('The highest share of the limit, as the limit was at the time.'),
  }),
);
