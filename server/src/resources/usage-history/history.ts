/** How a key or all keys of a partner were used, by hour or by day. */

import type { Static } from 'typebox';
import {
  DAY_MS,
  keptMs,
  startOfStep,
  stepMs,
  type UsageStep,
  usageSteps,
} from '../../gateway/usage-history/counts.ts';
import {
  readKeyUsage,
  readLastMinutes,
  readPartnerUsage,
  readPeaks,
  type UsageFilter,
  type UsagePeak,
  type UsageSum,
} from '../../store/usage-history.ts';
import { isoOrNull, type SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { givenTime, orNull, query, reply, wholeListOf, words } from '../forms.ts';
import { endpoint, readEndpoint } from '../grants/grant.ts';
import { findKey } from '../keys/key.ts';
import { findPartner } from '../partners/partner.ts';
import { invalidField, readTime } from '../problem.ts';
import { Type } from '../type.ts';

export { LimitTrial, limitTrialQuery, readLimitTrial } from './limit-trial.ts';

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

type HistoryQuery = Static<typeof historyQuery>;

export const UsageHistory = reply('UsageHistory', {
  items: Type.Array(
    reply('UsageHistoryItem', {
      at: Type.String({
        format: 'date-time',
        description: 'The beginning of the hour or day in UTC.',
      }),
      endpoint: like(story.endpoint),
      admitted: Type.Integer({ description: 'Calls that the limit let in.' }),
      refused: Type.Integer({ description: 'Calls refused because the limit was used up.' }),
      failed: Type.Integer({
        description: 'Calls that ended with a 5xx status or without a complete reply.',
      }),
      peak_share: like(
        0.8,
        orNull(
          share(
            'The highest share of the limit that was used at once; null if there was no limit.',
          ),
        ),
      ),
    }),
    { description: 'By time and endpoint. Hours and days without calls are left out.' },
  ),
});

type ShownUsage = Static<typeof UsageHistory>['items'][number];

export const UsagePeaks = wholeListOf(
  reply('UsagePeak', {
    endpoint: like(story.endpoint),
    calls: Type.Integer({ description: 'The most calls that counted in one window.' }),
    share: like(0.8, share('The highest share of the limit, as the limit was at the time.')),
  }),
);

/** Without `since`. */
const usualMs: Record<UsageStep, number> = { hour: 7 * DAY_MS, day: 90 * DAY_MS };
export const PEAK_DAYS = 30;

/** A revoked key's history can still be read. */
export async function readKeyHistory(
  { store, clock }: SupportEnvironment,
  keyId: string,
  query: HistoryQuery,
): Promise<ShownUsage[]> {
  const filter = filterOf(query, clock.now());
  await findKey(store.db, keyId);
  return (await readKeyUsage(store.db, keyId, filter)).map(show);
}

/** The hour of the last call of each key, as far as hours are kept; null if there was none. */
export async function readLastUses(
  { store }: Pick<SupportEnvironment, 'store'>,
  keyIds: readonly string[],
): Promise<(keyId: string) => string | null> {
  const uses = await readLastMinutes(store.db, keyIds);
  return (keyId) => isoOrNull(uses.get(keyId) ?? null);
}

export async function readPartnerHistory(
  { store, clock }: SupportEnvironment,
  partnerId: string,
  query: HistoryQuery,
): Promise<ShownUsage[]> {
  const filter = filterOf(query, clock.now());
  await findPartner(store.db, partnerId);
  return (await readPartnerUsage(store.db, partnerId, filter)).map(show);
}

/** What support compares a request for a higher limit with. */
export async function readKeyPeaks(
  { store, clock }: SupportEnvironment,
  keyId: string,
): Promise<UsagePeak[]> {
  await findKey(store.db, keyId);
  return readPeaks(store.db, keyId, startOfStep(clock.now() - PEAK_DAYS * DAY_MS, 'day'));
}

function filterOf({ since, until, step = 'hour', endpoint }: HistoryQuery, nowMs: number) {
  const untilMs = until === undefined ? nowMs : readTime(until, 'until');
  const fromMs = since === undefined ? untilMs - usualMs[step] : readTime(since, 'since');
  if (fromMs > untilMs) throw invalidField('since', 'must not be after until');
  // The first step counts whole, and a caller's clock may differ a little from ours.
  if (untilMs - fromMs > keptMs[step] + stepMs[step]) {
    const days = keptMs[step] / DAY_MS;
    throw invalidField('since', `must be at most ${days} days before until when step is ${step}`);
  }
  const filter: UsageFilter = {
    step,
    sinceMs: startOfStep(fromMs, step),
    untilMs,
    endpoint: endpoint === undefined ? undefined : readEndpoint(endpoint, 'endpoint'),
  };
  return filter;
}

function show({ at, endpoint, admitted, refused, failed, peak_share }: UsageSum): ShownUsage {
  return { at: new Date(at).toISOString(), endpoint, admitted, refused, failed, peak_share };
}
