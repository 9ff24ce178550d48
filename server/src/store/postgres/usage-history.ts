import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../base/clock.ts';
import type { ApiKeyUse } from '../../gateway/usage-history/api-key-uses.ts';
import { usageSteps } from '../../gateway/usage-history/counts.ts';
import type { UsageStore } from '../../gateway/usage-history/history.ts';
import type { Database, Schema, UsageRow } from '../schema.ts';
import { lastDaysIn, tableOf, usageRowsOf } from '../usage-history.ts';
import { noticeUsed } from './notices.ts';

/** A node that vanishes between two statements must not hold up the others, which write the same rows. */
const NOT_IDLE = "set local idle_in_transaction_session_timeout = '2s'";
/** These counts are not worth a wait for the disk: if PostgreSQL crashes, it may lose the last second. */
const BEGIN = `set local synchronous_commit = off; ${NOT_IDLE}`;
/** Whoever holds the key may be frozen, and later counts wait for this. */
const WAIT_FOR_KEY = `set local lock_timeout = '2s'; ${NOT_IDLE}`;

const LOCK_NOT_AVAILABLE = '55P03';

type LastDays = readonly (readonly [keyId: string, at: number])[];

export function postgresUsageHistory(db: Kysely<Schema>, clock: Clock): UsageStore {
  /** Of keys that were locked for too long; they get them with a later batch. */
  let late: LastDays = [];
  return {
    async add({ writer, number, records, apiKeys }) {
      await db.transaction().execute(async (transaction) => {
        await sql.raw(BEGIN).execute(transaction);
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
        }
        if (apiKeys.length > 0) await noteApiKeys(apiKeys).execute(transaction);
        await noticeUsed(transaction, records, clock.now());
      });
      late = await useKeys(db, [...late, ...lastDaysIn(usageRowsOf(records, 'day'))]);
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
 * Not in the transaction of the counts: a node that vanishes in that one would leave keys locked, and revoking one would
 * have to wait. Keys that somebody is changing come last, one at a time: whoever waits for one and holds another could be
 * in a deadlock with an import, which changes keys in another order. Resolves to those that stay locked.
 */
async function useKeys(db: Database, lastDays: LastDays): Promise<LastDays> {
  if (lastDays.length === 0) return [];
  // The later day of a key comes last.
  const { rows } = await useFreeKeys([...new Map(lastDays)]).execute(db);
  const locked = rows.map(({ key_id, at }) => [key_id, at] as const);
  for (const [n, [keyId, at]] of locked.entries()) {
    if (!(await useKey(db, keyId, at))) return locked.slice(n);
  }
  return [];
}

/** Waits for the key a little; false if that was too short. */
async function useKey(db: Database, keyId: string, at: number): Promise<boolean> {
  try {
    await db.transaction().execute(async (transaction) => {
      await sql.raw(WAIT_FOR_KEY).execute(transaction);
      await transaction
        .updateTable('api_key')
        .set({ last_used_on: at })
        .where('key_id', '=', keyId)
        .where((key) => key.or([key('last_used_on', 'is', null), key('last_used_on', '<', at)]))
        .execute();
    });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** Answers with those that it did not get. */
function useFreeKeys(lastDays: LastDays) {
  return sql<{ key_id: string; at: number }>`
    with used as (
      select api_key.key_id, days.at
        from unnest(${sql.val(lastDays.map(([id]) => id))}::text[],
                    ${sql.val(lastDays.map(([, at]) => at))}::bigint[]) as days (key_id, at)
        join api_key on api_key.key_id = days.key_id
       where api_key.last_used_on is null or api_key.last_used_on < days.at),
    free as (
      select key_id from api_key where key_id in (select key_id from used) for no key update skip locked),
    changed as (
      update api_key set last_used_on = greatest(last_used_on, used.at) from used
       where api_key.key_id = used.key_id and used.key_id in (select key_id from free))
    select key_id, at from used where key_id not in (select key_id from free)`;
}
