/** Delivery counts per minute, summed over all nodes, and each midoffice's latest attempt. */
import { type Kysely, sql } from 'kysely';
import type { MinuteStats } from '../delivery/delivery-stats.ts';
import type { Database, MinuteStatRow, Schema } from './schema.ts';

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

type Counts = Omit<MinuteStatRow, 'minute'>;

/**
 * The counts from `fromMs` up to `toMs`, summed over steps of `stepMs`. The key is the number of the step.
 * Steps without attempts are left out.
 */
export async function sumMinutes(
  db: Database,
  { fromMs, toMs, stepMs }: { fromMs: number; toMs: number; stepMs: number },
): Promise<Map<number, Counts>> {
  const rows = await db
    .selectFrom('minute_stat')
    .select([
      sql<number>`(minute - ${sql.lit(fromMs)}) / ${sql.lit(stepMs)}`.as('step'),
      (select) => select.fn.sum<number>('delivered').as('delivered'),
      (select) => select.fn.sum<number>('failed_attempts').as('failed_attempts'),
      (select) => select.fn.sum<number>('exhausted').as('exhausted'),
    ])
    .where('minute', '>=', fromMs)
    .where('minute', '<', toMs)
    .groupBy('step')
    .execute();
  // PostgreSQL returns sums as text.
  return new Map(
    rows.map(({ step, delivered, failed_attempts, exhausted }) => [
      Number(step),
      {
        delivered: Number(delivered),
        failed_attempts: Number(failed_attempts),
        exhausted: Number(exhausted),
      },
    ]),
  );
}
