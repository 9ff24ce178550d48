/**
 * The midoffices that need somebody: those that are down, unstable or paused, and those with exhausted deliveries. Many
 * are compared and a few are shown, the worst first.
 */

import { TELL_FAILING_AFTER_MS } from '../../notices/kinds.ts';
import { exhaustedOf, midofficesWithExhausted, pendingOf } from '../../store/queue/backlog.ts';
import type { Database } from '../../store/schema.ts';
import { MOST_EXHAUSTED, showExhausted } from '../deliveries/backlog.ts';
import { NEWEST_JUDGED, readFailedShare, readLastAttempts } from '../deliveries/queries.ts';
import { like, story } from '../examples.ts';
import { orNull, reply, time } from '../forms.ts';
import {
  countFailing,
  type FailingSince,
  failingMidoffices,
  midoffices,
  pausedMidoffices,
} from '../midoffices/queries.ts';
import { Type } from '../type.ts';

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

export const troubledFields = {
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
};

export async function readTroubled(db: Database, nowMs: number) {
  const downMs = nowMs - TELL_FAILING_AFTER_MS;
  const down = await readFailing(db, { untilMs: downMs });
  const unstable = await readFailing(db, { afterMs: downMs });
  return {
    failing_count: down.count,
    failing_midoffices: down.worst,
    unstable_count: unstable.count,
    unstable_midoffices: await withShares(db, unstable.worst, downMs),
    paused_midoffices: await byImpact(db, await pausedMidoffices(db, MOST_COMPARED)),
    ...(await showExhausted(db)),
    exhausted_midoffices: await byExhausted(db),
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
  const named = await midoffices.readAll(db, worst);
  return worst
    .map((id) => ({ id, name: named.get(id)?.name ?? id, exhausted: counts.get(id) ?? 0 }))
    .filter(({ exhausted }) => exhausted > 0)
    .sort((a, b) => b.exhausted - a.exhausted);
}
