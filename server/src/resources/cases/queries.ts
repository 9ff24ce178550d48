import type { Database } from '../../store/schema.ts';

/** The first order id that is not before this one. */
export async function orderIdFrom(db: Database, from: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('delivery')
    .select('partner_order_id')
    .where('partner_order_id', '>=', from)
    .orderBy('partner_order_id')
    .limit(1)
    .executeTakeFirst();
  return row?.partner_order_id;
}
