/**
 * How many calls another limit would have refused. The usage history knows how many calls there were in each hour, not
 * when in the hour, so the answer is a range: at least what no order of the calls could have avoided, at most what the
 * worst one would have cost.
 */
import { fieldsOf } from '@bellhop/rules/differences';
import type { Static } from 'typebox';
import { DAY_MS, HOUR_MS, startOfStep } from '../../gateway/usage-history/counts.ts';
import { readKeyUsage } from '../../store/usage-history.ts';
import { readEntry } from '../audit/audit.ts';
import { newestAudit } from '../audit/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like } from '../examples.ts';
import { query, reply, time } from '../forms.ts';
import { endpoint, Grant, readEndpoint } from '../grants/grant.ts';
import { readGrantSet } from '../grants/queries.ts';
import { findKey } from '../keys/key.ts';
import { Type } from '../type.ts';

export const TRIAL_DAYS = 7;
/** Older changes of a key are not looked at. */
const MOST_CHANGES = 100;

const { requests_number, seconds_number } = Grant.properties;
export const limitTrialQuery = query({ endpoint, requests_number, seconds_number });

const counts = {
  at_least: like(3, Type.Integer({ description: 'Refused, whenever in the hour they came.' })),
  at_most: like(20, Type.Integer({ description: 'Refused, if they came together.' })),
  calls: like(140, Type.Integer({ description: 'Made, those included that were refused.' })),
};

export const LimitTrial = reply('LimitTrial', {
  ...counts,
  hours: Type.Array(reply('LimitTrialHour', { at: time, ...counts }), {
    description: 'The hours in which calls may have been refused, oldest first.',
  }),
});
export type LimitTrial = Static<typeof LimitTrial>;

export interface TriedLimit {
  requests_number: number;
  seconds_number: number;
}

/** The calls of an hour. */
export interface TriedHour {
  atMs: number;
  calls: number;
  /** The most that were in one span of `peakSeconds`; null if that is not known. */
  peak: number | null;
}

/** Of the last 7 days, with the current hour. */
export async function readLimitTrial(
  environment: SupportEnvironment,
  keyId: string,
  { endpoint, ...limit }: Static<typeof limitTrialQuery>,
): Promise<LimitTrial> {
  const sinceMs = environment.clock.now() - TRIAL_DAYS * DAY_MS;
  return tryLimitSince(environment, { keyId, endpoint, limit, sinceMs });
}

export async function tryLimitSince(
  { store: { db }, clock }: Pick<SupportEnvironment, 'store' | 'clock'>,
  asked: { keyId: string; endpoint: string; limit: TriedLimit; sinceMs: number },
): Promise<LimitTrial> {
  const { keyId, limit } = asked;
  const endpoint = readEndpoint(asked.endpoint, 'endpoint');
  const key = await findKey(db, keyId);
  const fromMs = startOfStep(asked.sinceMs, 'hour');
  // Earlier calls count towards the limit at first.
  const sinceMs = fromMs - hoursIn(limit.seconds_number) * HOUR_MS;
  const filter = { step: 'hour', sinceMs, untilMs: clock.now() + 1, endpoint } as const;
  const rows = await readKeyUsage(db, keyId, filter);
  const grant = (await readGrantSet(db, key.grant_set)).of(endpoint);
  const peaksFrom = grant?.is_limited ? await lastChange(db, keyId, endpoint) : undefined;
  const hours = rows.map(({ at, admitted, refused, peak_calls }) => ({
    atMs: at,
    calls: admitted + refused,
    peak: peaksFrom !== undefined && at >= peaksFrom ? peak_calls : null,
  }));
  return tryLimit(hours, { limit, fromMs, peakSeconds: grant?.seconds_number ?? 0 });
}

/** Since when the key has the limit that it has: peaks from before were counted by another. Undefined if unknown. */
async function lastChange(
  db: SupportEnvironment['store']['db'],
  keyId: string,
  endpoint: string,
): Promise<number | undefined> {
  const rows = await newestAudit(db, { limit: MOST_CHANGES }, { subject: keyId });
  const change = rows.find((row) => {
    const { before, after } = readEntry(row);
    return fieldsOf(before).endpoint === endpoint || fieldsOf(after).endpoint === endpoint;
  });
  if (change) return startOfStep(change.at, 'hour') + HOUR_MS;
  return rows.length < MOST_CHANGES ? 0 : undefined;
}

/** `hours` in the order of time; those before `fromMs` only count towards the limit. */
export function tryLimit(
  hours: readonly TriedHour[],
  { limit, fromMs, peakSeconds }: { limit: TriedLimit; fromMs: number; peakSeconds: number },
): LimitTrial {
  const callsAt = new Map(hours.map(({ atMs, calls }) => [atMs, calls]));
  const tried = hours.filter(({ atMs, calls }) => atMs >= fromMs && calls > 0);
  const shown = tried.map((hour) => {
    const most = mostRefused(hour, callsAt, limit);
    return { ...hour, at_least: Math.max(0, hour.calls - mostIn(1, limit)), at_most: most };
  });
  const sum = (numbers: number[]) => numbers.reduce((total, one) => total + one, 0);
  const byPeaks =
    limit.seconds_number >= peakSeconds ? refusedInPeaks(tried, limit, peakSeconds) : 0;
  const at_most = sum(shown.map((one) => one.at_most));
  return {
    at_least: Math.min(at_most, Math.max(refusedInBlocks(tried, limit), byPeaks)),
    at_most,
    calls: sum(tried.map(({ calls }) => calls)),
    hours: shown
      .filter((one) => one.at_most > 0)
      .map(({ atMs, at_least, at_most, calls }) => {
        return { at: new Date(atMs).toISOString(), at_least, at_most, calls };
      }),
  };
}

function hoursIn(seconds: number): number {
  return Math.ceil((seconds * 1_000) / HOUR_MS);
}

/** The most calls that the limit admits in so many hours. */
function mostIn(hours: number, { requests_number, seconds_number }: TriedLimit): number {
  return requests_number * Math.ceil((hours * HOUR_MS) / (seconds_number * 1_000));
}

/** A call is refused only if there were enough others in the window before it. */
function mostRefused(
  { atMs, calls }: TriedHour,
  callsAt: ReadonlyMap<number, number>,
  { requests_number, seconds_number }: TriedLimit,
): number {
  let inWindow = calls;
  for (let n = 1; n <= hoursIn(seconds_number); n++) {
    inWindow += callsAt.get(atMs - n * HOUR_MS) ?? 0;
  }
  return Math.min(calls, Math.max(0, inWindow - requests_number));
}

/** What a block of hours has beyond the most that the limit admits in it. Blocks may begin at any hour of the first. */
function refusedInBlocks(hours: readonly TriedHour[], limit: TriedLimit): number {
  const length = Math.max(1, Math.floor((limit.seconds_number * 1_000) / HOUR_MS));
  const most = mostIn(length, limit);
  let best = 0;
  for (let offset = 0; offset < length; offset++) {
    const blocks = new Map<number, number>();
    for (const { atMs, calls } of hours) {
      const block = Math.floor((atMs / HOUR_MS + offset) / length);
      blocks.set(block, (blocks.get(block) ?? 0) + calls);
    }
    let refused = 0;
    for (const calls of blocks.values()) refused += Math.max(0, calls - most);
    best = Math.max(best, refused);
  }
  return best;
}

/** The calls of a peak came together. Peaks of hours that follow each other may share calls, so every second one counts. */
function refusedInPeaks(
  hours: readonly TriedHour[],
  { requests_number }: TriedLimit,
  peakSeconds: number,
): number {
  const apart = hoursIn(peakSeconds) + 1;
  const refused = new Array<number>(apart).fill(0);
  for (const { atMs, peak } of hours) {
    const turn = (atMs / HOUR_MS) % apart;
    refused[turn] = (refused[turn] ?? 0) + Math.max(0, (peak ?? 0) - requests_number);
  }
  return Math.max(...refused);
}
