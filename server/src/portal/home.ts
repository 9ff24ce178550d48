/**
 * Everything on the first page of the portal in one reply. People leave that page open, and it asks again every 15 s:
 * one request costs a third of what its parts cost one by one.
 */
import type { Static } from 'typebox';
import { DAY_MS, startOfStep } from '../gateway/usage-history/counts.ts';
import { orNull, reply, Type } from '../resources/forms.ts';
import { Limit } from '../resources/grants/usage.ts';
import { OwnListedDelivery } from './own-attempts.ts';
import { type OwnDeliveries, OwnDeliveryCount } from './own-deliveries.ts';
import { OwnKey, type OwnKeys } from './own-keys.ts';
import { OwnMidoffice, type OwnMidofficeView } from './own-midoffice.ts';
import type { OwnRefusals } from './own-refusals.ts';

/** People with more keys see the rest on the page of the limits. */
const MOST_KEYS = 5;
const NEWEST_DELIVERIES = 5;

const HomeKey = reply('HomeKey', {
  key: OwnKey,
  limits_in_use: Type.Array(Limit, { description: 'Those of which some is used now.' }),
  highest_share_today: orNull(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'The highest share of a limit that was used at once since midnight UTC; null if there was no call.',
    }),
  ),
});

export const Home = reply('Home', {
  midoffice: orNull(OwnMidoffice),
  exhausted: OwnDeliveryCount,
  keys: Type.Array(HomeKey, { description: `The newest ${MOST_KEYS} that are not revoked.` }),
  refused_lately: orNull(
    reply('RefusedLately', {
      calls: Type.Integer({
        description: 'Refused and failed calls of the last 24 hours.',
      }),
      most_frequent: Type.String({ description: 'The code that most of them got.' }),
    }),
  ),
  deliveries: Type.Array(OwnListedDelivery, { description: `The newest ${NEWEST_DELIVERIES}.` }),
});
type Home = Static<typeof Home>;

/** Parts of the partner's view. */
interface Parts {
  midoffice: OwnMidofficeView;
  deliveries: OwnDeliveries;
  keys: OwnKeys;
  refusals: OwnRefusals;
}

/** One part after the other, so that someone who has the page open never holds more than one connection. */
export async function showHome(
  { midoffice, deliveries, keys, refusals }: Parts,
  nowMs: number,
): Promise<Home> {
  return {
    midoffice: await midoffice.find(),
    exhausted: await deliveries.count({ only: 'unacknowledged' }),
    keys: await keysNow(keys, nowMs),
    refused_lately: await refusedLately(refusals, nowMs),
    deliveries: (await deliveries.list({ limit: NEWEST_DELIVERIES })).items,
  };
}

async function keysNow(keys: OwnKeys, nowMs: number): Promise<Home['keys']> {
  const midnight = new Date(startOfStep(nowMs, 'day')).toISOString();
  return (await keys.newestWithUse(MOST_KEYS, midnight)).map(({ key, limits, history }) => {
    const shares = history.map(({ peak_share }) => peak_share ?? 0);
    return {
      key,
      limits_in_use: limits.filter(({ used }) => used > 0),
      highest_share_today: shares.length > 0 ? Math.max(...shares) : null,
    };
  });
}

async function refusedLately(
  refusals: OwnRefusals,
  nowMs: number,
): Promise<Home['refused_lately']> {
  const since = new Date(nowMs - DAY_MS).toISOString();
  const { items } = await refusals.codes({ since });
  const [most] = items;
  if (!most) return null;
  return {
    calls: items.reduce((sum, { calls }) => sum + calls, 0),
    most_frequent: most.code,
  };
}
