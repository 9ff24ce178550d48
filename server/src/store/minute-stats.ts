/** Where the counts of all nodes meet, for the console's charts. */
import { type Kysely, sql } from 'kysely';
import type { MinuteStats } from '../delivery/delivery-stats.ts';
import type { Schema } from './schema.ts';

export function minuteStatsOn(db: Kysely<Schema>): MinuteStats {
  return {
    async addMinutes(rows) {
      await db
        .insertInto('minute_stat')
        .values(rows)
        .onConflict((conflict) =>
          conflict.column('minute').doUpdateSet({
            delivered: sql`minute_stat.delivered + excluded.delivered`,
            failed_attempts: sql`minute_stat.failed_attempts + excluded.failed_attempts`,
            exhausted: sql`minute_stat.exhausted + excluded.exhausted`,
          }),
        )
        .execute();
    },
    async writeLastAttempts(rows) {
      await db
        .insertInto('last_attempt')
        .values(rows)
        .onConflict((conflict) =>
          conflict
            .column('midoffice_id')
            .doUpdateSet({
              delivery_seq: sql`excluded.delivery_seq`,
              number: sql`excluded.number`,
              started_at: sql`excluded.started_at`,
            })
            .where(sql<boolean>`excluded.started_at >= last_attempt.started_at`),
        )
        .execute();
    },
  };
}
