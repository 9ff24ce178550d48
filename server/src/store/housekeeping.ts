/** The store's side of housekeeping: backlog, failing midoffices, retention. */
import type { Kysely } from 'kysely';
import type { FailingMidoffice, HousekeepingStore } from '../delivery/housekeeping.ts';
import { deleteOldNotices, noticeExpiring, noticeFailing, noticeRecovered } from './notices.ts';
import { readBacklog } from './queue/backlog.ts';
import { deleteSettledBefore } from './queue/retention.ts';
import { cutoffOfCalls, deleteOldCalls } from './recorded-calls.ts';
import type { Schema } from './schema.ts';
import { deleteOldUsage } from './usage-history.ts';

export function housekeepingOn(db: Kysely<Schema>): HousekeepingStore {
  /** It has not been told, and has failed ever since: one that recovered in between begins again. */
  const untold = ({ id, failingSinceMs }: FailingMidoffice) =>
    db
      .updateTable('midoffice')
      .where('id', '=', id)
      .where('alerted_at', 'is', null)
      .where('failing_since', '=', failingSinceMs);
  return {
    backlog: () => readBacklog(db),
    async failingSince(ms) {
      const rows = await db
        .selectFrom('midoffice')
        .select(['id', 'name', 'failing_since', 'alerted_at'])
        .where('failing_since', '<=', ms)
        .$narrowType<{ failing_since: number }>()
        .execute();
      return rows.map(({ id, name, failing_since, alerted_at }) => ({
        id,
        name,
        failingSinceMs: failing_since,
        isAlerted: alerted_at !== null,
      }));
    },
    async claimAlert(midoffice, nowMs, endedMs) {
      const { numUpdatedRows } = await untold(midoffice)
        .set({ alert_claimed_at: nowMs })
        .where((where) =>
          where.or([
            where('alert_claimed_at', 'is', null),
            where('alert_claimed_at', '<=', endedMs),
          ]),
        )
        .executeTakeFirst();
      return numUpdatedRows === 1n;
    },
    async markAlerted(midoffice, nowMs) {
      await untold(midoffice).set({ alerted_at: nowMs, alert_claimed_at: null }).execute();
    },
    deleteSettledBefore: (cutoffMs, cursor) => deleteSettledBefore(db, cutoffMs, cursor),
    async deleteMinutesBefore(ms) {
      await db.deleteFrom('minute_stat').where('minute', '<', ms).execute();
    },
    deleteOldUsage: (nowMs) => deleteOldUsage(db, nowMs),
    cutoffOfCalls: () => cutoffOfCalls(db),
    deleteOldCalls: (cutoffMs) => deleteOldCalls(db, cutoffMs),
    async noticeReceivers(nowMs) {
      await noticeFailing(db, nowMs);
      await noticeRecovered(db, nowMs);
    },
    noticeExpiring: (nowMs) => noticeExpiring(db, nowMs),
    deleteOldNotices: (nowMs) => deleteOldNotices(db, nowMs),
  };
}
