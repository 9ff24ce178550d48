/**
 * Brings the pending rows of a midoffice in line with its `delivery_order`: with an order key, or without
 * one and not parked. Rows that are already right stay as they are.
 *
 * A backlog may have hundreds of thousands of rows, so a change of the order only leaves a mark, in its own transaction.
 * The owner of the lane starts no attempt while there is one: it restates the rows in small transactions, and the last
 * one removes the mark. Whoever owns the lane after a crash finds the mark and begins again.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { isPostgres } from '../engine.ts';
import type { Schema } from '../schema.ts';

/** Rows in one transaction: on an embedded database, a few milliseconds. */
const AT_ONCE = 50;
/** Rows of all midoffices that are looked at together. */
export const LOOKED_AT = 1_500;

export interface Order {
  id: string;
  ordered: boolean;
}

/** In the transaction that changes `delivery_order`. */
export async function markToRestate(db: Kysely<Schema>, midofficeId: string): Promise<void> {
  await db
    .insertInto('restating')
    .values({ midoffice_id: midofficeId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Uses the `delivery_order` that is stored for the midoffice. */
export async function restateAsStored(
  db: Kysely<Schema>,
  midofficeId: string,
  nowMs: number,
): Promise<void> {
  for (;;) {
    const order = await storedOrder(db, midofficeId);
    if (!order) return;
    const seqs = await findMisstated(db, order);
    let isStillIt = true;
    for (let i = 0; isStillIt && i < seqs.length; i += AT_ONCE) {
      const some = seqs.slice(i, i + AT_ONCE);
      isStillIt = await whileStored(db, order, (on) => restate(on, order, some, nowMs));
      await nextTurn();
    }
    if (isStillIt && (await whileStored(db, order, (on) => removeMark(on, midofficeId)))) return;
  }
}

/**
 * By their numbers, which do not change: what is read in the order of `due_at` may move meanwhile. Numbers of all
 * midoffices, because no index has those of one in this order.
 */
export async function findMisstated(db: Kysely<Schema>, { id, ordered }: Order): Promise<number[]> {
  const found: number[] = [];
  for (let after = 0; ; ) {
    const page = db
      .selectFrom('pending')
      .select('seq')
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(LOOKED_AT);
    const { last } = await db
      .selectFrom(page.as('page'))
      .select((select) => select.fn.max<number | null>('page.seq').as('last'))
      .executeTakeFirstOrThrow();
    if (last === null) return found;
    const rows = await db
      .selectFrom('pending')
      .select('seq')
      .where('seq', '>', after)
      .where('seq', '<=', last)
      // An expression, because SQLite would read all rows of the midoffice in the index of orders.
      .where(sql<string>`midoffice_id || ''`, '=', id)
      .where('order_key', ordered ? 'is' : 'is not', null)
      .orderBy('seq')
      .execute();
    for (const { seq } of rows) found.push(seq);
    after = last;
    await nextTurn();
  }
}

export async function restate(
  db: Kysely<Schema>,
  { id, ordered }: Order,
  seqs: readonly number[],
  nowMs: number,
): Promise<void> {
  if (seqs.length === 0) return;
  if (isPostgres(db)) {
    // In the order of `seq`, as everyone locks, to avoid deadlocks.
    const rows = db.selectFrom('pending').select('seq').where('seq', 'in', seqs).orderBy('seq');
    await rows.forUpdate().execute();
  }
  const orderKey = sql<string>`(select delivery.partner_id || ' ' || delivery.partner_order_id
                                  from delivery where delivery.seq = pending.seq)`;
  await db
    .updateTable('pending')
    .set({
      order_key: ordered ? orderKey : null,
      due_at: sql<number>`coalesce(due_at, ${sql.lit(nowMs)})`,
    })
    .where('seq', 'in', seqs)
    // Cancelled and sent again meanwhile, one may be elsewhere, or right already and parked.
    .where(sql<string>`midoffice_id || ''`, '=', id)
    .where('order_key', ordered ? 'is' : 'is not', null)
    .execute();
}

async function removeMark(db: Kysely<Schema>, midofficeId: string): Promise<void> {
  await db.deleteFrom('restating').where('midoffice_id', '=', midofficeId).execute();
}

async function storedOrder(db: Kysely<Schema>, id: string): Promise<Order | undefined> {
  const row = await db
    .selectFrom('midoffice')
    .select('delivery_order')
    .where('id', '=', id)
    // In a transaction, it does not change until its end.
    .$if(isPostgres(db) && db.isTransaction, (query) => query.forShare())
    .executeTakeFirst();
  return row && { id, ordered: row.delivery_order === 'per_order' };
}

/** Returns false, and does nothing, if the midoffice has another order by now. */
function whileStored(
  db: Kysely<Schema>,
  { id, ordered }: Order,
  work: (db: Kysely<Schema>) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (transaction) => {
    if ((await storedOrder(transaction, id))?.ordered !== ordered) return false;
    await work(transaction);
    return true;
  });
}
