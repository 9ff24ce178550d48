import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import type { ApiKeyUse } from '../../gateway/usage-history/api-key-uses.ts';
import { usageSteps } from '../../gateway/usage-history/counts.ts';
import type { UsageStore } from '../../gateway/usage-history/history.ts';
import type { Schema, UsageRow } from '../schema.ts';
import { lastDaysIn, tableOf, usageRowsOf } from '../usage-history.ts';
import { noticeUsed } from './notices.ts';

export function postgresUsageHistory(db: Kysely<Schema>, clock: Clock): UsageStore {
  return {
    async add({ writer, number, records, apiKeys }) {
      await db.transaction().execute(async (transaction) => {
        // These counts are not worth a wait for the disk. If PostgreSQL crashes, it may lose the last second.
        await sql`set local synchronous_commit = off`.execute(transaction);
        const { numInsertedOrUpdatedRows: begun } = await transaction
          .insertInto('usage_writer')
          .values({ writer, batch: number, at: clock.now() })
          .onConflict((conflict) =>
            conflict
              .column('writer')
              .doUpdateSet({ batch: sql`excluded.batch`, at: sql`excluded.at` })
              .where(sql<boolean>`usage_writer.batch < excluded.batch`),
          )
          .executeTakeFirstOrThrow();
        if (begun !== 1n) return;
        if (records.length > 0) {
          for (const step of usageSteps) {
            await addRows(tableOf[step], usageRowsOf(records, step)).execute(transaction);
          }
          await useKeys(lastDaysIn(usageRowsOf(records, 'day'))).execute(transaction);
        }
        if (apiKeys.length > 0) await noteApiKeys(apiKeys).execute(transaction);
        await noticeUsed(transaction, records, clock.now());
      });
    },
  };
}

/** Arrays instead of a parameter for each value: a node without a second thread builds this beside calls. */
function addRows(table: string, rows: readonly UsageRow[]) {
  const all = (column: keyof UsageRow) => sql.val(rows.map((row) => row[column]));
  // `greatest` ignores nulls.
  return sql`
    insert into ${sql.table(table)} as known
           (key_id, at, endpoint, admitted, refused, failed, peak_calls, peak_share, last_at)
    select * from unnest(
      ${all('key_id')}::text[], ${all('at')}::bigint[], ${all('endpoint')}::text[],
      ${all('admitted')}::bigint[], ${all('refused')}::bigint[], ${all('failed')}::bigint[],
      ${all('peak_calls')}::integer[], ${all('peak_share')}::double precision[],
      ${all('last_at')}::bigint[])
    on conflict (key_id, at, endpoint) do update
       set admitted = known.admitted + excluded.admitted,
           refused = known.refused + excluded.refused,
           failed = known.failed + excluded.failed,
           peak_calls = greatest(known.peak_calls, excluded.peak_calls),
           peak_share = greatest(known.peak_share, excluded.peak_share),
           last_at = greatest(known.last_at, excluded.last_at)`;
}

/** Sorted, so that two nodes that write at the same time cannot deadlock. */
function noteApiKeys(uses: readonly ApiKeyUse[]) {
  const sorted = uses.toSorted((a, b) => (idOf(a) < idOf(b) ? -1 : 1));
  const all = (field: keyof ApiKeyUse) => sql.val(sorted.map((use) => use[field]));
  return sql`
    insert into api_key_use as known (key_id, fingerprint, at)
    select * from unnest(${all('keyId')}::text[], ${all('fingerprint')}::text[], ${all('atMs')}::bigint[])
    on conflict (key_id, fingerprint) do update set at = greatest(known.at, excluded.at)`;
}

function idOf({ keyId, fingerprint }: ApiKeyUse): string {
  return `${keyId} ${fingerprint}`;
}

/**
 * A key that somebody is changing is left for the next batch: waiting for it could be a deadlock with an import, which
 * changes keys in another order.
 */
function useKeys(lastDays: readonly [keyId: string, at: number][]) {
  return sql`
    update api_key set last_used_on = used.at
      from (select api_key.key_id, days.at
              from unnest(${sql.val(lastDays.map(([id]) => id))}::text[],
                          ${sql.val(lastDays.map(([, at]) => at))}::bigint[]) as days (key_id, at)
              join api_key on api_key.key_id = days.key_id
             where api_key.last_used_on is null or api_key.last_used_on < days.at
               for no key update of api_key skip locked) as used
     where api_key.key_id = used.key_id`;
}
