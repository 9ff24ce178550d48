/**
 * What the first page of a partner's portal judges (`getHome` of the portal's API), read by support: the same records,
 * and as many of them.
 */
import type { Judged, JudgedKey } from '../../../portal/src/pages/home/verdict.ts';
import type { EnvironmentCall } from './client.ts';
import type { Key, Partner } from './types.ts';

const MOST_COUNTED = 1_000;
const MOST_KEYS = 5;
const DAY_MS = 86_400_000;

export async function readPortalNow(
  call: EnvironmentCall,
  { id: partner_id, midoffice_id }: Partner,
  signal: AbortSignal,
): Promise<Judged> {
  const now = Date.now();
  const [midoffice, exhausted, keys, refused] = await Promise.all([
    midoffice_id === null ? null : readMidoffice(call, midoffice_id, signal),
    call(
      'countDeliveries',
      { query: { partner_id, only: 'unacknowledged', up_to: MOST_COUNTED } },
      signal,
    ),
    call('listKeys', { query: { partner_id, limit: 200 } }, signal),
    call(
      'countCalls',
      { query: { partner_id, since: new Date(now - DAY_MS).toISOString() } },
      signal,
    ),
  ]);
  const most = refused.items[0] ?? null;
  const midnight = new Date(now - (now % DAY_MS)).toISOString();
  const shown = keys.items.filter(({ revoked_at }) => revoked_at === null).slice(0, MOST_KEYS);
  return {
    midoffice,
    exhausted,
    keys: await Promise.all(shown.map((key) => readKey(call, key, midnight, signal))),
    refused_lately: most && {
      calls: refused.items.reduce((sum, { calls }) => sum + calls, 0),
      most_frequent: most.code,
    },
  };
}

/** How many webhooks wait is shown to a partner only if all of them are its own. */
async function readMidoffice(call: EnvironmentCall, id: string, signal: AbortSignal) {
  const [midoffice, partners] = await Promise.all([
    call('getMidoffice', { id }, signal),
    call('listPartners', { query: { midoffice_id: id, limit: 2 } }, signal),
  ]);
  return { ...midoffice, pending: partners.items.length > 1 ? null : midoffice.pending };
}

async function readKey(
  call: EnvironmentCall,
  key: Key,
  since: string,
  signal: AbortSignal,
): Promise<JudgedKey> {
  const { key_id } = key;
  const [usage, history] = await Promise.all([
    call('getUsage', { key_id }, signal),
    call('getKeyHistory', { key_id, query: { step: 'hour', since } }, signal),
  ]);
  const shares = history.items.map(({ peak_share }) => peak_share ?? 0);
  return {
    key,
    limits_in_use: usage.items.filter(({ used }) => used > 0),
    highest_share_today: shares.length > 0 ? Math.max(...shares) : null,
  };
}
