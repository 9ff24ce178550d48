/** After the clock was set back: no delivery waits for longer than its own step of the schedule from now on. */
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Rows in one statement, as in restate-order.ts. */
const AT_ONCE = 500;

/** Of one shard. Returns the midoffices whose deliveries are due earlier now. */
export async function pullForward(
  db: Kysely<Schema>,
  shard: number,
  schedule: readonly number[],
  nowMs: number,
): Promise<string[]> {
  const steps = schedule.map((ms, n) => sql`when ${sql.lit(n + 1)} then ${sql.lit(nowMs + ms)}`);
  const latest = sql<number>`(case retries_used ${sql.join(steps, sql` `)} else ${sql.lit(nowMs)} end)`;
  // What support asked for is due at once; only the attempt after it has a step.
  const dueAt = sql<number>`(case when scheduled_at is null then ${latest} else ${sql.lit(nowMs)} end)`;
  const rows = await db
    .selectFrom('pending')
    .select(['seq', 'midoffice_id'])
    .where('shard', '=', shard)
    .where(sql<boolean>`due_at > ${dueAt}`)
    .orderBy('seq')
    .execute();
  for (let i = 0; i < rows.length; i += AT_ONCE) {
    await db
      .updateTable('pending')
      .set({
        due_at: dueAt,
        scheduled_at: sql<
          number | null
        >`case when scheduled_at > ${latest} then ${latest} else scheduled_at end`,
      })
      .where(
        'seq',
        'in',
        rows.slice(i, i + AT_ONCE).map(({ seq }) => seq),
      )
      .where(sql<boolean>`due_at > ${dueAt}`)
      .execute();
  }
  return [...new Set(rows.map(({ midoffice_id }) => midoffice_id))];
}
