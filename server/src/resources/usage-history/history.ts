/** How a key or all keys of a partner were used, by hour or by day. */
import {
  readKeyUsage,
  readPartnerUsage,
  readPeaks,
  type UsageFilter,
  type UsagePeak,
  type UsageSum,
} from '../../store/usage-history.ts';
import { DAY_MS, keptMs, startOfStep, stepMs, type UsageStep } from '../../usage-history/steps.ts';
import type { SupportEnvironment } from '../environment.ts';
import { readEndpoint } from '../grants/grant.ts';
import { invalidField, readTime } from '../input.ts';
import { findKey } from '../keys/key.ts';
import { findPartner } from '../partners/partner.ts';

export interface HistoryQuery {
  since?: string;
  until?: string;
  step?: UsageStep;
  endpoint?: string;
}

/** Without `since`. */
const usualMs: Record<UsageStep, number> = { hour: 7 * DAY_MS, day: 90 * DAY_MS };
export const PEAK_DAYS = 30;

export interface ShownUsage extends Omit<UsageSum, 'at'> {
  at: string;
}

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
