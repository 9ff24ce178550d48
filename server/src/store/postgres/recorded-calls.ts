import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { CallStore, RecordedCall } from '../../gateway/recorded-calls/recorded-call.ts';
import { callColumnNames, callColumns, mostOf, Trimming, trimSql } from '../recorded-calls.ts';
import type { Schema } from '../schema.ts';

const TRIM = trimSql((n) => `$${n}`);

export function postgresRecordedCalls(db: Kysely<Schema>): CallStore {
  const trimming = new Trimming();
  return {
    async add(calls) {
      await db.transaction().execute(async (transaction) => {
        // As with the usage history: if PostgreSQL crashes, it may lose the last second.
        await sql`set local synchronous_commit = off`.execute(transaction);
        await insert(calls).execute(transaction);
        for (const owner of trimming.dueAfter(calls)) {
          const values = [owner.key_id, owner.signed_in, mostOf(owner)];
          await transaction.executeQuery(CompiledQuery.raw(TRIM, values));
        }
      });
    },
  };
}

/** Arrays instead of a parameter for each value: a node without a second thread builds this beside calls. */
function insert(calls: readonly RecordedCall[]) {
  const columns = callColumnNames.map((column) => sql.ref(column));
  const arrays = callColumnNames.map((column) => {
    const values = calls.map((call) => call[column]);
    return sql`${sql.val(values)}::${sql.raw(callColumns[column])}[]`;
  });
  return sql`
    insert into recorded_call (${sql.join(columns)})
    select * from unnest(${sql.join(arrays)})
    on conflict (request_id) do nothing`;
}
