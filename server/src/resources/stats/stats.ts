/**
 * What the console's first page shows. Every open page requests it every few seconds, so it reads counters
 * and small indexes, never the deliveries themselves.
 */
import type { Static } from 'typebox';
import type { BackOfficeStore } from '../../store/back-office/store.ts';
import { countUnrouted } from '../../store/queue/backlog.ts';
import { AuditEntry, listAudit } from '../audit/audit.ts';
import { countInFlight, showBacklog } from '../deliveries/backlog.ts';
import type { SupportEnvironment } from '../environment.ts';
import { orNull, reply, time } from '../forms.ts';
import { Type } from '../type.ts';
import { cachedRead } from './cached-read.ts';
import { chartFields, readChart, type StatsSpan, SuccessRate } from './chart.ts';
import { LimitedKeys, readLimitedKeys } from './limited-keys.ts';
import { readTroubled, troubledFields } from './troubled-midoffices.ts';

/** More events without a midoffice than this are not counted. */
const MOST_UNROUTED = 1_000;
const RECENT_CHANGES = 10;

export const Stats = reply('Stats', {
  ...chartFields,
  pending: Type.Integer(),
  oldest_pending_at: orNull(time),
  in_flight: Type.Integer(),
  success_rate: SuccessRate,
  ...troubledFields,
  unrouted: Type.Integer({
    description: `Events that no midoffice was known for, counted up to ${MOST_UNROUTED}.`,
  }),
  limited_keys: LimitedKeys,
  recent_changes: Type.Array(AuditEntry),
});

export type StatsReader = (span: StatsSpan) => Promise<Static<typeof Stats>>;

export function createStatsReader(
  environment: SupportEnvironment,
  backOfficeStore: BackOfficeStore,
): StatsReader {
  const { store, clock } = environment;
  // Counting a million pending deliveries takes a while, and that is when everybody looks.
  const readLoad = cachedRead(async () => ({
    ...(await showBacklog(store.db)),
    in_flight: await countInFlight(environment),
    ...(await readTroubled(store.db, clock.now())),
    unrouted: await countUnrouted(store.db, MOST_UNROUTED),
  }));
  // One that took too long is cached as well: a refresh must not start the read again.
  const limitedOf = (span: StatsSpan) => cachedRead(() => readLimitedKeys(environment, span));
  const limited = { hour: limitedOf('hour'), day: limitedOf('day'), week: limitedOf('week') };
  return async (span) => ({
    ...(await readChart(environment, span)),
    ...(await readLoad()),
    limited_keys: await limited[span](),
    recent_changes: (await listAudit(environment, backOfficeStore, { limit: RECENT_CHANGES }))
      .items,
  });
}
