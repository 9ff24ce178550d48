/**
 * What a change would do to calls. A dry run makes the change by the same action, with all that it checks, in a
 * transaction that is rolled back, and then counts the calls of the last hours that would have been refused.
 */
import { letsMoreThrough } from '@bellhop/rules/raise';
import type { Grant } from '../base/grants.ts';
import { DAY_MS, HOUR_MS, startOfStep } from '../gateway/usage-history/counts.ts';
import { readKeyUsage, readPartnerUsage, type UsageSum } from '../store/usage-history.ts';
import type { SupportEnvironment } from './environment.ts';
import type { Key } from './keys/key.ts';
import { countWorkingKeys } from './keys/queries.ts';
import type { Partner } from './partners/partner.ts';
import type { DryRun } from './route.ts';
import { tryLimitSince } from './usage-history/limit-trial.ts';

/** The same environment, in which changes come to nothing. */
export function withoutEffect(environment: SupportEnvironment): SupportEnvironment {
  const { store } = environment;
  const change: typeof store.change = (actor, work) =>
    store.change(actor, async (change) => change.unchanged(await work(change)));
  return { ...environment, store: { ...store, change } };
}

const NONE: DryRun = { effects: { calls_last_hour: 0, calls_last_day: 0, keys: 0 } };

type Data = Pick<SupportEnvironment, 'store' | 'clock'>;

export async function effectsOnKey(data: Data, before: Key, after: Key): Promise<DryRun> {
  const isStopped = after.disabled && !before.disabled;
  const known = before.allowed_ips;
  const isNarrower =
    after.allowed_ips !== null && !known?.every((one) => after.allowed_ips?.includes(one));
  if (!isStopped && !isNarrower) return NONE;
  return effectsSince(data, 1, (filter) => readKeyUsage(data.store.db, before.key_id, filter));
}

export async function effectsOnPartner(
  data: Data,
  before: Partner,
  after: Partner,
): Promise<DryRun> {
  if (!after.suspended || before.suspended) return NONE;
  const { db } = data.store;
  const keys = await countWorkingKeys(db, before.id, data.clock.now());
  return effectsSince(data, keys, (filter) => readPartnerUsage(db, before.id, filter));
}

export async function effectsOnGrant(
  data: Data,
  keyId: string,
  before: Grant | undefined,
  after: Grant | undefined,
): Promise<DryRun> {
  if (!before?.is_active) return NONE;
  const { endpoint } = before;
  if (!after?.is_active) {
    return effectsSince(data, 1, (filter) =>
      readKeyUsage(data.store.db, keyId, { ...filter, endpoint }),
    );
  }
  if (!letsMoreThrough(after, before)) return NONE;
  const nowMs = data.clock.now();
  const sinceMs = startOfStep(nowMs - DAY_MS, 'hour');
  const filter = { step: 'hour', sinceMs, untilMs: nowMs + 1, endpoint } as const;
  const rows = await readKeyUsage(data.store.db, keyId, filter);
  /** Without those that were refused anyway, as in the counts of all other changes. */
  const refusedSince = async (sinceMs: number) => {
    const { at_least } = await tryLimitSince(data, { keyId, endpoint, limit: after, sinceMs });
    return Math.max(0, at_least - sumSince(rows, sinceMs, 'refused'));
  };
  return {
    effects: {
      calls_last_hour: await refusedSince(nowMs - HOUR_MS),
      calls_last_day: await refusedSince(nowMs - DAY_MS),
      keys: 1,
    },
  };
}

/** With the whole hour in which it begins. */
function sumSince(
  rows: readonly UsageSum[],
  sinceMs: number,
  what: 'admitted' | 'refused',
): number {
  const fromMs = startOfStep(sinceMs, 'hour');
  return rows.reduce((sum, row) => sum + (row.at >= fromMs ? row[what] : 0), 0);
}

/** All calls that were let in. */
async function effectsSince(
  { clock }: Data,
  keys: number,
  read: (filter: { step: 'hour'; sinceMs: number; untilMs: number }) => Promise<UsageSum[]>,
): Promise<DryRun> {
  const nowMs = clock.now();
  const sinceMs = startOfStep(nowMs - DAY_MS, 'hour');
  const rows = await read({ step: 'hour', sinceMs, untilMs: nowMs + 1 });
  return {
    effects: {
      calls_last_hour: sumSince(rows, nowMs - HOUR_MS, 'admitted'),
      calls_last_day: sumSince(rows, nowMs - DAY_MS, 'admitted'),
      keys,
    },
  };
}
