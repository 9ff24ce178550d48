/**
 * Attempts by hand that use up no step of the schedule, events without a midoffice that support can
 * list and recover, and alerts that count as sent only when they were.
 */
import { sql } from 'kysely';
import type { Engine } from '../engine.ts';
import { claimFunction } from './claim-function.ts';
import type { Db } from './migration.ts';

export async function changeDeliveryRules(db: Db, engine: Engine): Promise<void> {
  await db.schema.alterTable('delivery').addColumn('scheduled_at', 'bigint').execute();
  await db.schema
    .alterTable('delivery')
    .addColumn('retry_asked', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('midoffice').addColumn('alert_claimed_at', 'bigint').execute();
  await sql`create index delivery_unrouted on delivery (partner_id, seq)
             where state = 'unrouted'`.execute(db);
  if (engine === 'postgres') {
    const leased = 'lease = new_lease, due_at = lease_until_ms, retry_asked = 0';
    await sql.raw(claimFunction(leased)).execute(db);
  }
}
