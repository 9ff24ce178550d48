import type { Clock } from '../../base/clock.ts';
import { usageSteps } from '../../gateway/usage-history/counts.ts';
import type { UsageStore } from '../../gateway/usage-history/history.ts';
import { lastDaysIn, tableOf, usageRowsOf } from '../usage-history.ts';
import type { SqliteNotices } from './notices.ts';
import type { Writer } from './writing.ts';

/**
 * A crash of the process does not lose what was added; a power cut may lose the last seconds. Waiting for
 * the disk would not be worth it.
 */
export function sqliteUsageHistory(
  writer: Writer,
  notices: Pick<SqliteNotices, 'used'>,
  clock: Clock,
): UsageStore {
  const { connection } = writer;
  const begin = connection.prepare(`
    insert into usage_writer (writer, batch, at) values (?, ?, ?)
    on conflict (writer) do update set batch = excluded.batch, at = excluded.at
     where usage_writer.batch < excluded.batch`);
  const adds = usageSteps.map((step) => ({
    step,
    add: connection.prepare(`
      insert into ${tableOf[step]} (key_id, at, endpoint, admitted, refused, failed, peak_calls, peak_share, last_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (key_id, at, endpoint) do update
         set admitted = admitted + excluded.admitted,
             refused = refused + excluded.refused,
             failed = failed + excluded.failed,
             peak_calls = max(coalesce(peak_calls, excluded.peak_calls), coalesce(excluded.peak_calls, peak_calls)),
             peak_share = max(coalesce(peak_share, excluded.peak_share), coalesce(excluded.peak_share, peak_share)),
             last_at = max(coalesce(last_at, 0), excluded.last_at)`),
  }));
  const noteApiKey = connection.prepare(`
    insert into api_key_use (key_id, fingerprint, at) values (?, ?, ?)
    on conflict (key_id, fingerprint) do update set at = max(at, excluded.at)`);
  const use = connection.prepare(`
    update api_key set last_used_on = ?2
     where key_id = ?1 and (last_used_on is null or last_used_on < ?2)`);
  return {
    async add({ writer: by, number, records, apiKeys }) {
      await writer.unsynced(() => {
        const isNew = begin.run(by, number, clock.now()).changes > 0;
        if (!isNew) return;
        for (const { keyId, fingerprint, atMs } of apiKeys) {
          noteApiKey.run(keyId, fingerprint, atMs);
        }
        for (const { step, add } of adds) {
          for (const row of usageRowsOf(records, step)) {
            add.run(
              row.key_id,
              row.at,
              row.endpoint,
              row.admitted,
              row.refused,
              row.failed,
              row.peak_calls,
              row.peak_share,
              row.last_at,
            );
          }
        }
        notices.used(records, clock.now());
        for (const [keyId, day] of lastDaysIn(usageRowsOf(records, 'day'))) use.run(keyId, day);
      });
    },
  };
}
