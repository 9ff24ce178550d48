/**
 * Every way in which support changes a delivery, for both engines: none of it is on a hot path. The
 * caller's transaction also holds the audit row. docs/delivery-queue.md has the races.
 *
 * At READ COMMITTED each statement has a snapshot of its own, so each of these changes a row by a
 * condition on that row alone, and looks at other rows in a statement that begins after it has waited
 * for whoever held them. Only verbs add rows of `pending` for deliveries that exist, and they lock the
 * delivery first, as retention does before it deletes one.
 */
import { type Kysely, sql } from 'kysely';
import { shardOf } from '../../delivery/queue.ts';
import type { PendingRow, Schema } from '../schema.ts';
import { isPostgres } from './engine.ts';
import { restateOrder } from './restate-order.ts';

/** Deliveries queued in one statement. */
const QUEUED_AT_ONCE = 500;

const HIGHEST_ATTEMPT = sql<number>`coalesce(
  (select max(attempt.number) from attempt where attempt.delivery_seq = delivery.seq), 0)`;

export interface Midoffice {
  id: string;
  /** Whether it delivers the events of one order one after another. */
  ordered: boolean;
}

export interface QueueVerbs {
  /**
   * An attempt now. A pending delivery goes on with its schedule after it, of which the attempt uses
   * no step; if an attempt is under way, another follows it, should it fail. Any other delivery is
   * queued again with a whole schedule. False if the delivery is gone.
   */
  retry(seq: number, midoffice: Midoffice): Promise<boolean>;
  /** No further attempts; false if it is not pending. */
  cancel(seq: number): Promise<boolean>;
  /** Queues given-up and unrouted deliveries again; returns how many were neither pending nor delivered. */
  requeue(seqs: readonly number[], midoffice: Midoffice): Promise<number>;
  /**
   * Skips the wait before the schedule's next attempt; false if the delivery changed since
   * `expectedRetriesUsed` was read, or waits for nothing.
   */
  fastForward(seq: number, expectedRetriesUsed: number): Promise<boolean>;
  /** Queues what waits for a midoffice under the rule that it has from now on. */
  restateOrder(midoffice: Midoffice): Promise<void>;
}

export function queueVerbs(
  db: Kysely<Schema>,
  nowMs: number,
  changed: (midofficeIds: readonly string[]) => Promise<void>,
): QueueVerbs {
  const now = sql<number>`${sql.lit(nowMs)}`;

  /** Those that exist, in order of seq, as everyone takes them who takes several. */
  async function lockDeliveries(seqs: readonly number[]): Promise<number[]> {
    const rows = await db
      .selectFrom('delivery')
      .select('seq')
      .where('seq', 'in', seqs)
      .orderBy('seq')
      .$if(isPostgres(db), (query) => query.forUpdate())
      .execute();
    return rows.map(({ seq }) => seq);
  }

  async function retryPending(seq: number): Promise<boolean> {
    const [row] = await db
      .updateTable('pending')
      .set({
        // Another value than before, even within a millisecond: it is what a worker compares.
        asked_at: sql`case when asked_at >= ${now} then asked_at + 1 else ${now} end`,
        scheduled_at: sql`case when due_at is null then scheduled_at
                               else coalesce(scheduled_at, due_at) end`,
        // A parked one stays so: its turn comes after the one before it.
        due_at: sql`case when due_at is null then null else ${now} end`,
      })
      .where('seq', '=', seq)
      .returning('midoffice_id')
      .execute();
    if (row) await changed([row.midoffice_id]);
    return row !== undefined;
  }

  /** For deliveries that are locked. Those that are pending, or delivered unless wanted, stay as they are. */
  async function queueAgain(
    seqs: readonly number[],
    { id, ordered }: Midoffice,
    alsoDelivered: boolean,
  ): Promise<number> {
    const orderKey = ordered
      ? sql<string | null>`delivery.partner_id || ' ' || delivery.partner_order_id`
      : sql<string | null>`null`;
    const queued = await db
      .insertInto('pending')
      .columns([
        'seq',
        'shard',
        'midoffice_id',
        'order_key',
        'due_at',
        'retries_used',
        'attempts_made',
        'asked_at',
      ])
      .expression(
        db
          .selectFrom('delivery')
          .leftJoin('given_up', 'given_up.seq', 'delivery.seq')
          .select([
            'delivery.seq',
            sql<number>`${sql.lit(shardOf(id))}`.as('shard'),
            sql<string>`cast(${id} as text)`.as('midoffice_id'),
            orderKey.as('order_key'),
            now.as('due_at'),
            sql<number>`0`.as('retries_used'),
            HIGHEST_ATTEMPT.as('attempts_made'),
            // Later than what an attempt that was under way when it was cancelled may have read.
            sql<number>`case when given_up.at >= ${now} then given_up.at + 1 else ${now} end`.as(
              'asked_at',
            ),
          ])
          .where('delivery.seq', 'in', seqs)
          .where((where) =>
            where.not(
              where.exists(
                where
                  .selectFrom('pending')
                  .select('pending.seq')
                  .whereRef('pending.seq', '=', 'delivery.seq'),
              ),
            ),
          )
          .$if(!alsoDelivered, (query) =>
            query.where((where) =>
              where.or([
                where('given_up.seq', 'is not', null),
                where('delivery.midoffice_id', 'is', null),
              ]),
            ),
          ),
      )
      .returning('seq')
      .execute();
    if (queued.length === 0) return 0;
    const queuedSeqs = queued.map(({ seq }) => seq);
    await db.deleteFrom('given_up').where('seq', 'in', queuedSeqs).execute();
    await db
      .updateTable('delivery')
      .set({ midoffice_id: id })
      .where('seq', 'in', queuedSeqs)
      .where('midoffice_id', 'is', null)
      .execute();
    await changed([id]);
    return queued.length;
  }

  /**
   * The next of its order that is parked, whether or not another is before it: its owner parks again
   * what must wait. To look whether it is the first would be to rely on a row that someone else removes
   * at this moment, who relies on ours in turn.
   */
  async function freeNext(
    removed: Pick<PendingRow, 'seq' | 'midoffice_id' | 'order_key'>,
  ): Promise<void> {
    await db
      .updateTable('pending')
      .set({ due_at: nowMs })
      .where('due_at', 'is', null)
      .where('seq', '=', (from) =>
        from
          .selectFrom('pending as next')
          .select((select) => select.fn.min('next.seq').as('seq'))
          .where('next.midoffice_id', '=', removed.midoffice_id)
          .where('next.order_key', '=', removed.order_key)
          .where('next.due_at', 'is', null)
          .where('next.seq', '>', removed.seq),
      )
      .execute();
  }

  return {
    async retry(seq, midoffice) {
      const found = await lockDeliveries([seq]);
      if (found.length === 0) return false;
      if (!(await retryPending(seq))) await queueAgain([seq], midoffice, true);
      return true;
    },

    async cancel(seq) {
      const [row] = await db
        .deleteFrom('pending')
        .where('seq', '=', seq)
        .returning(['midoffice_id', 'order_key', 'asked_at'])
        .execute();
      if (!row) return false;
      const { midoffice_id, asked_at } = row;
      await db
        .insertInto('given_up')
        // Not before it was last asked for, so that a replay has a later time than both.
        .values({ seq, midoffice_id, state: 'cancelled', at: Math.max(nowMs, asked_at ?? 0) })
        .execute();
      if (row.order_key !== null) await freeNext({ ...row, seq });
      await changed([midoffice_id]);
      return true;
    },

    async requeue(seqs, midoffice) {
      const inOrder = [...seqs].sort((a, b) => a - b);
      let queued = 0;
      for (let i = 0; i < inOrder.length; i += QUEUED_AT_ONCE) {
        const some = await lockDeliveries(inOrder.slice(i, i + QUEUED_AT_ONCE));
        if (some.length > 0) queued += await queueAgain(some, midoffice, false);
      }
      return queued;
    },

    async fastForward(seq, expectedRetriesUsed) {
      const [row] = await db
        .updateTable('pending')
        .set({ due_at: nowMs })
        .where('seq', '=', seq)
        .where('due_at', '>', nowMs)
        .where('retries_used', '=', expectedRetriesUsed)
        .returning('midoffice_id')
        .execute();
      if (row) await changed([row.midoffice_id]);
      return row !== undefined;
    },

    async restateOrder(midoffice) {
      if ((await restateOrder(db, midoffice, nowMs)) > 0) await changed([midoffice.id]);
    },
  };
}
