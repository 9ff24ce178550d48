import { type Kysely, sql } from 'kysely';
import type { Clock } from '../../clock.ts';
import type { UsageStore } from '../../usage-history/history.ts';
import { usageSteps } from '../../usage-history/steps.ts';
import type { Schema } from '../schema.ts';
import { tableOf, usageRowsOf } from '../usage-rows.ts';

export function postgresUsageHistory(db: Kysely<Schema>, clock: Clock): UsageStore {
  return {
    async add({ writer, number, records }) {
      await db.transaction().execute(async (transaction) => {
        // The statistics of the past are not worth a wait for the disk. A crash may lose the last second.
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
        for (const step of usageSteps) {
          const table = tableOf[step];
          const own = (column: string) => sql.ref(`${table}.${column}`);
          const sum = (column: string) => sql<number>`${own(column)} + excluded.${sql.ref(column)}`;
          // `greatest` ignores nulls.
          const peak = (column: string) =>
            sql<number | null>`greatest(${own(column)}, excluded.${sql.ref(column)})`;
          await transaction
            .insertInto(table)
            .values(usageRowsOf(records, step))
            .onConflict((conflict) =>
              conflict.columns(['key_id', 'at', 'endpoint']).doUpdateSet({
                admitted: sum('admitted'),
                refused: sum('refused'),
                failed: sum('failed'),
                peak_calls: peak('peak_calls'),
                peak_share: peak('peak_share'),
              }),
            )
            .execute();
        }
      });
    },
  };
}
