/**
 * What the console's first page shows. Every open page requests it every few seconds, so it reads counters
 * and small indexes, never the deliveries themselves.
 */
import Type, { type Static } from 'typebox';
import { isTooSlow } from '../../base/database-errors.ts';
import { startOfStep } from '../../gateway/usage-history/counts.ts';
import { TELL_FAILING_AFTER_MS } from '../../notices/kinds.ts';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import { sumMinutes } from '../../store/minute-stats.ts';
import {
  countUnrouted,
  exhaustedOf,
  midofficesWithExhausted,
  pendingOf,
} from '../../store/queue/backlog.ts';
import type { Database } from '../../store/schema.ts';
import { mostRefusedKeys } from '../../store/usage-history.ts';
import { AuditEntry, listAudit } from '../audit/audit.ts';
import {
  countInFlight,
  MOST_EXHAUSTED,
  showBacklog,
  showExhausted,
} from '../deliveries/backlog.ts';
import { NEWEST_JUDGED, readFailedShare, readLastAttempts } from '../deliveries/queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time, words } from '../forms.ts';
import { readNamedKeys } from '../keys/queries.ts';
import {
  countFailing,
  type FailingSince,
  failingMidoffices,
  midofficeNames,
  pausedMidoffices,
} from '../midoffices/queries.ts';

export const statsSpans = ['hour', 'day', 'week'] as const;

export const StatsSpan = words(statsSpans, {
  title: 'StatsSpan',
  description: 'How far the buckets and the refused calls reach back; an hour if not given.',
});

export type StatsSpan = Static<typeof StatsSpan>;

/** More events without a midoffice than this are not counted. */
const MOST_UNROUTED = 1_000;
/** Shown, out of those that are compared. */
const MOST_SHOWN = 20;
/** Midoffices that are compared to find those with the most pending, or exhausted, deliveries. */
const MOST_COMPARED = 1_000;
/**
 * Exhausted deliveries of each are compared up to here, and counted further only for those that are shown. With 1,000
 * midoffices of 10,000 each, counting them all would take a second embedded, and 2 to 7 s on PostgreSQL.
 */
const COMPARED_UP_TO = 100;

/** As partners are told: before, the receiver mostly restarts. */
const DOWN_MINUTES = TELL_FAILING_AFTER_MS / 60_000;

const named = { id: like(story.midofficeId), name: like(story.midoffice) };

const failingFields = {
  ...named,
  failing_since: time,
  pending: Type.Integer(),
  last_error: orNull(like(story.lastError)),
};

const LimitedKey = reply('LimitedKey', {
  key_id: like(story.keyId),
  label: orNull(like(story.key)),
  partner_name: like(story.partner),
  refused: Type.Integer({
    description:
      'In this span, by all nodes, from the usage history: from the whole hour in which the span began, of a week from the whole day. It lags by some seconds.',
  }),
});
type LimitedKey = Static<typeof LimitedKey>;

export const Stats = reply('Stats', {
  span: StatsSpan,
  from: time,
  to: time,
  step_seconds: like(60, Type.Integer()),
  buckets: Type.Array(
    reply('StatsBucket', {
      at: time,
      delivered: Type.Integer(),
      failed_attempts: Type.Integer(),
      exhausted: Type.Integer(),
    }),
  ),
  pending: Type.Integer(),
  oldest_pending_at: orNull(time),
  in_flight: Type.Integer(),
  success_rate: like(
    0.98,
    orNull(
      Type.Number({ description: 'Share of the attempts in this span that delivered, 0 to 1.' }),
    ),
  ),
  failing_count: Type.Integer({
    description: `How many midoffices are down, shown or not: nothing but failures for ${DOWN_MINUTES} minutes.`,
  }),
  failing_midoffices: Type.Array(reply('FailingMidoffice', failingFields), {
    description: `Those that are down, with the most pending deliveries first, at most ${MOST_SHOWN}.`,
  }),
  unstable_count: Type.Integer({
    description: `How many midoffices have begun to fail within the last ${DOWN_MINUTES} minutes, shown or not.`,
  }),
  unstable_midoffices: Type.Array(
    reply('UnstableMidoffice', {
      ...failingFields,
      failed_share: orNull(
        Type.Number({
          description: `Share of the attempts of the last ${DOWN_MINUTES} minutes that failed, 0 to 1, for its newest ${NEWEST_JUDGED} deliveries.`,
        }),
      ),
    }),
    { description: `Those with the most pending deliveries, at most ${MOST_SHOWN}.` },
  ),
  paused_midoffices: Type.Array(
    reply('PausedMidoffice', {
      ...named,
      pending: Type.Integer(),
    }),
    { description: 'Those with the most pending deliveries, at most 20.' },
  ),
  exhausted: Type.Integer({
    description: `Exhausted deliveries that nobody has recovered or acknowledged, however old, counted up to ${MOST_EXHAUSTED.ofAll.toLocaleString('en')}.`,
  }),
  oldest_exhausted_at: orNull(time),
  exhausted_midoffices: Type.Array(
    reply('ExhaustedMidoffice', {
      ...named,
      exhausted: Type.Integer(),
    }),
    {
      description: `Those with the most of them, at most ${MOST_SHOWN}. If more midoffices than that have ${COMPARED_UP_TO} or more, they are the oldest of these.`,
    },
  ),
  unrouted: Type.Integer({
    description: `Events that no midoffice was known for, counted up to ${MOST_UNROUTED}.`,
  }),
  limited_keys: orNull(
    Type.Array(LimitedKey, {
      description: `Those that were refused most, at most ${MOST_SHOWN}. Null if reading them took too long.`,
    }),
  ),
  recent_changes: Type.Array(AuditEntry),
});

const MINUTE_MS = 60_000;
const SPANS: Record<StatsSpan, { buckets: number; stepMs: number }> = {
  hour: { buckets: 60, stepMs: MINUTE_MS },
  day: { buckets: 96, stepMs: 15 * MINUTE_MS },
  week: { buckets: 84, stepMs: 120 * MINUTE_MS },
};
const NOTHING = { delivered: 0, failed_attempts: 0, exhausted: 0 };
const RECENT_CHANGES = 10;

export type StatsReader = (span: StatsSpan) => Promise<Static<typeof Stats>>;
type Load = Awaited<ReturnType<typeof readLoad>>;

export function createStatsReader(
  environment: SupportEnvironment,
  backOfficeStore: BackOfficeStore,
): StatsReader {
  // Counting a million pending deliveries takes a while, and that is when everybody looks.
  const load = cachedRead(() => readLoad(environment));
  // An index of refused calls would make each of their counts a costly write, so a long history may take too long to
  // read. The page shows the rest then. The failure is cached as a value is: a refresh must not start the read again.
  const limited = ofEachSpan((span) =>
    cachedRead(() =>
      readLimitedKeys(environment, span).catch((error: unknown) => {
        if (!isTooSlow(error)) throw error;
        return null;
      }),
    ),
  );
  return (span) => readStats(environment, backOfficeStore, span, { load, limited: limited[span] });
}

async function readStats(
  environment: SupportEnvironment,
  backOfficeStore: BackOfficeStore,
  span: StatsSpan,
  { load, limited }: { load: () => Promise<Load>; limited: () => Promise<LimitedKey[] | null> },
): Promise<Static<typeof Stats>> {
  const { buckets, ...chart } = await readChart(environment, span);
  const delivered = sum(buckets.map((bucket) => bucket.delivered));
  const attempts = delivered + sum(buckets.map((bucket) => bucket.failed_attempts));
  return {
    span,
    ...chart,
    buckets,
    ...(await load()),
    success_rate: attempts === 0 ? null : delivered / attempts,
    limited_keys: await limited(),
    recent_changes: (await listAudit(environment, backOfficeStore, { limit: RECENT_CHANGES }))
      .items,
  };
}

/** The last bucket is still filling. */
async function readChart({ store, clock }: SupportEnvironment, span: StatsSpan) {
  const { buckets: count, stepMs } = SPANS[span];
  const nowMs = clock.now();
  const toMs = nowMs - (nowMs % stepMs) + stepMs;
  const fromMs = toMs - count * stepMs;
  const sums = await sumMinutes(store.db, { fromMs, toMs, stepMs });
  return {
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    step_seconds: stepMs / 1_000,
    buckets: Array.from({ length: count }, (_, bucket) => ({
      at: new Date(fromMs + bucket * stepMs).toISOString(),
      ...(sums.get(bucket) ?? NOTHING),
    })),
  };
}

async function readLoad(environment: SupportEnvironment) {
  const { db } = environment.store;
  const downMs = environment.clock.now() - TELL_FAILING_AFTER_MS;
  const down = await readFailing(db, { untilMs: downMs });
  const unstable = await readFailing(db, { afterMs: downMs });
  return {
    ...(await showBacklog(db)),
    in_flight: await countInFlight(environment),
    failing_count: down.count,
    failing_midoffices: down.worst,
    unstable_count: unstable.count,
    unstable_midoffices: await withShares(db, unstable.worst, downMs),
    paused_midoffices: await byImpact(db, await pausedMidoffices(db, MOST_COMPARED)),
    ...(await showExhausted(db)),
    exhausted_midoffices: await byExhausted(db),
    unrouted: await countUnrouted(db, MOST_UNROUTED),
  };
}

async function readFailing(db: Database, since: FailingSince) {
  const failing = await failingMidoffices(db, since, MOST_COMPARED);
  const worst = await byImpact(db, failing);
  const lastAttempts = await readLastAttempts(
    db,
    worst.map(({ id }) => id),
  );
  return {
    count: failing.length < MOST_COMPARED ? failing.length : await countFailing(db, since),
    worst: worst.map(({ id, name, failing_since, pending }) => ({
      id,
      name,
      failing_since: new Date(failing_since).toISOString(),
      pending,
      last_error: lastAttempts.get(id)?.error ?? null,
    })),
  };
}

async function withShares<M extends { id: string }>(
  db: Database,
  midoffices: readonly M[],
  sinceMs: number,
) {
  const shown: (M & { failed_share: number | null })[] = [];
  for (const one of midoffices) {
    shown.push({ ...one, failed_share: await readFailedShare(db, one.id, sinceMs) });
  }
  return shown;
}

/** Those with the most pending deliveries come first; among equals, the given order stays. */
async function byImpact<M extends { id: string }>(db: Database, midoffices: readonly M[]) {
  const pending = await pendingOf(
    db,
    midoffices.map(({ id }) => id),
  );
  return midoffices
    .map((midoffice) => ({ ...midoffice, pending: pending.get(midoffice.id) ?? 0 }))
    .sort((a, b) => b.pending - a.pending)
    .slice(0, MOST_SHOWN);
}

async function byExhausted(db: Database) {
  const ids = await midofficesWithExhausted(db, { limit: MOST_COMPARED });
  const compared = await exhaustedOf(db, ids, COMPARED_UP_TO);
  const worst = ids
    .toSorted((a, b) => (compared.get(b) ?? 0) - (compared.get(a) ?? 0))
    .slice(0, MOST_SHOWN);
  const counts = await exhaustedOf(db, worst, MOST_EXHAUSTED.ofMidoffice);
  const names = await midofficeNames(db, worst);
  return worst
    .map((id) => ({ id, name: names.get(id) ?? id, exhausted: counts.get(id) ?? 0 }))
    .filter(({ exhausted }) => exhausted > 0)
    .sort((a, b) => b.exhausted - a.exhausted);
}

/** By all nodes, in whole steps of the usage history: of a week, in days, of which there are fewer rows. */
async function readLimitedKeys(
  { store: { db }, clock }: SupportEnvironment,
  span: StatsSpan,
): Promise<LimitedKey[]> {
  const { buckets, stepMs } = SPANS[span];
  const step = span === 'week' ? 'day' : 'hour';
  const sinceMs = startOfStep(clock.now() - buckets * stepMs, step);
  const refused = await mostRefusedKeys(db, { step, sinceMs, limit: MOST_SHOWN });
  const named = await readNamedKeys(
    db,
    refused.map(({ key_id }) => key_id),
  );
  const rows = new Map(named.map((row) => [row.key_id, row]));
  return refused.flatMap(({ key_id, refused }) => {
    const row = rows.get(key_id);
    return row ? [{ key_id, label: row.label, partner_name: row.partner_name, refused }] : [];
  });
}

function ofEachSpan<T>(of: (span: StatsSpan) => T): Record<StatsSpan, T> {
  return { hour: of('hour'), day: of('day'), week: of('week') };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}

/** The largest share of the time that may be spent on reading, however often the value is requested. */
const SHARE = 1 / 20;

/**
 * Caches what `read` returns, for 20 times as long as reading took: after a read of 50 ms, for a second.
 * Requests during a read wait for that read. Errors are not cached.
 */
export function cachedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  let validUntilMs = 0;
  return () => {
    const startedMs = performance.now();
    if (last && startedMs < validUntilMs) return last;
    validUntilMs = Number.POSITIVE_INFINITY;
    last = read().then(
      (value) => {
        const endedMs = performance.now();
        validUntilMs = endedMs + (endedMs - startedMs) / SHARE;
        return value;
      },
      (error) => {
        last = undefined;
        throw error;
      },
    );
    return last;
  };
}
