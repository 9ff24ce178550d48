/**
 * What runs beside the deliveries: telling people of a midoffice that has failed for an hour,
 * deleting what has been settled for longer than the retention, and counting what is pending.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock, Timer } from '../clock.ts';
import type { EnvironmentName } from '../config/settings.ts';
import type { Log } from '../log.ts';
import type { Metrics } from '../metrics.ts';
import { readBacklog } from '../store/queue/backlog.ts';
import { deleteSettledBefore } from '../store/queue/retention.ts';
import type { MidofficeRow } from '../store/schema.ts';
import type { Store } from '../store/store.ts';
import type { RaiseAlert } from './alerts.ts';

export const FAILING_FOR_MS = 3_600_000;
const EVERY_MS = 30_000;
/** Longer than all tries of an alert; a node that has taken longer has died over it. */
const TELLING_MS = 60_000;
/** The console's longest chart shows a week. */
const MINUTES_KEPT_MS = 8 * 86_400_000;

export interface Housekeeping {
  /** One round now; the timer calls it too. */
  round(): Promise<void>;
  stop(): void;
}

export function startHousekeeping(parts: {
  environment: EnvironmentName;
  store: Store;
  retentionMs: number;
  raise: RaiseAlert;
  clock: Clock;
  log: Log;
  metrics: Metrics;
}): Housekeeping {
  const { environment, store, retentionMs, raise, clock, log, metrics } = parts;
  const { db } = store;
  let stopped = false;
  let timer: Timer | undefined;
  let pending = 0;
  let oldestAtMs: number | null = null;
  let failing = 0;

  metrics.gauge(
    'bellhop_deliveries_pending',
    'Deliveries that wait or are under way.',
    { environment },
    () => pending,
  );
  metrics.gauge(
    'bellhop_deliveries_oldest_pending_seconds',
    'Age of the oldest pending delivery.',
    { environment },
    () => (oldestAtMs === null ? 0 : (clock.now() - oldestAtMs) / 1_000),
  );
  metrics.gauge(
    'bellhop_midoffices_failing',
    'Midoffices that have failed for an hour.',
    { environment },
    () => failing,
  );

  async function alertFailing(): Promise<void> {
    const before = clock.now() - FAILING_FOR_MS;
    const rows = await db
      .selectFrom('midoffice')
      .selectAll()
      .where('failing_since', '<=', before)
      .execute();
    failing = rows.length;
    await Promise.all(rows.filter((row) => row.alerted_at === null).map(tell));
  }

  /** Counts as told only once it was: a node that dies on the way leaves it to the next. */
  async function tell(row: MidofficeRow): Promise<void> {
    const untold = db
      .updateTable('midoffice')
      .where('id', '=', row.id)
      .where('alerted_at', 'is', null)
      .where('failing_since', '=', row.failing_since);
    const nowMs = clock.now();
    // One node at a time.
    const { numUpdatedRows } = await untold
      .set({ alert_claimed_at: nowMs })
      .where((where) =>
        where.or([
          where('alert_claimed_at', 'is', null),
          where('alert_claimed_at', '<=', nowMs - TELLING_MS),
        ]),
      )
      .executeTakeFirst();
    if (numUpdatedRows !== 1n) return;
    const since = new Date(row.failing_since as number).toISOString();
    const isTold = await raise({
      alert: 'midoffice_failing',
      midoffice_id: row.id,
      failing_since: since,
      text: `Every webhook to midoffice "${row.name}" has failed since ${since}. Look at its latest attempts and tell the partner.`,
    });
    // If not, the claim runs out and it is told again.
    if (isTold) await untold.set({ alerted_at: clock.now(), alert_claimed_at: null }).execute();
  }

  async function deleteOld(): Promise<void> {
    if (retentionMs === 0) return;
    const cutoffMs = clock.now() - retentionMs;
    let cursor = await deleteSettledBefore(db, cutoffMs);
    while (cursor && !stopped) {
      await nextTurn();
      cursor = await deleteSettledBefore(db, cutoffMs, cursor);
    }
  }

  async function deleteOldMinutes(): Promise<void> {
    const before = clock.now() - MINUTES_KEPT_MS;
    await db.deleteFrom('minute_stat').where('minute', '<', before).execute();
  }

  async function countPending(): Promise<void> {
    ({ pending, oldestAtMs } = await readBacklog(db));
  }

  async function round(): Promise<void> {
    try {
      await countPending();
      await alertFailing();
      await deleteOld();
      await deleteOldMinutes();
    } catch (error) {
      if (!stopped) log.warn({ err: error }, 'housekeeping is put off');
    }
  }

  function schedule(): void {
    timer = clock.after(EVERY_MS, async () => {
      await round();
      if (!stopped) schedule();
    });
  }

  schedule();
  return {
    round,
    stop() {
      stopped = true;
      timer?.cancel();
    },
  };
}
