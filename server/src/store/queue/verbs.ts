/**
 * All the ways in which support changes a delivery, for both engines; none is on a hot path. The caller's
 * transaction also contains the audit row. docs/delivery-queue.md describes the races.
 *
 * A delivery's state is the table it is found in:
 *
 *     accepted ──new-work.ts──→ pending ──rows.ts──→ attempt ──follow-up.ts──→ delivered: in no table
 *                                 ↑  ↑                  ├─ failed ───────────→ pending, due later
 *                                 │  └── free-next.ts   └─ exhausted ────────→ given_up
 *                                 └───── verbs: retry, recover ←───────────── given_up ←── cancel, acknowledge
 *
 * read-deliveries.ts reads them, list.ts finds them (delivery-search.ts, conditions.ts, last-result.ts), backlog.ts
 * counts them, and retention.ts deletes what is settled for long enough.
 *
 * At READ COMMITTED each statement has its own snapshot. So each verb changes a row under a condition on
 * that row alone, and looks at other rows in a later statement, after it has waited for their locks. Only
 * verbs insert into `pending` for deliveries that already exist, and only verbs change what is unrouted. They lock
 * the delivery first, and so does retention before it deletes one.
 */
import { type Kysely, type SqlBool, sql } from 'kysely';
import { type LanesNotice, shardOf } from '../../delivery/queue.ts';
import type { DeliveryState } from '../../delivery/states.ts';
import { type Engine, isPostgres } from '../engine.ts';
import type { Schema } from '../schema.ts';
import {
  type ChangedRow,
  cancelPending,
  cancelUnrouted,
  lockRows,
  requestAttempt,
} from './change-pending.ts';
import { isNotIn, isUnacknowledged, isUnrouted } from './conditions.ts';
import { LAST_RESULT } from './last-result.ts';
import { readDeliveries } from './read-deliveries.ts';
import { markToRestate } from './restate-order.ts';

/**
 * Deliveries changed in one statement, and by one call of a verb for many. On an embedded database that holds the
 * thread: 100 of the greatest length that are retried took 20 ms, and two groups, or one and other work, may share a
 * turn. On PostgreSQL, most of a group is waiting for the database, so small ones take longer in all.
 */
export const MOST_AT_ONCE: Readonly<Record<Engine, number>> = { sqlite: 25, postgres: 50 };

const HIGHEST_ATTEMPT = sql<number>`coalesce(
  (select max(attempt.number) from attempt where attempt.delivery_seq = delivery.seq), 0)`;

export interface Midoffice {
  id: string;
  /** Whether it delivers per order. */
  ordered: boolean;
}

/** A delivery in the state in which it was found. */
export interface Found {
  seq: number;
  state: DeliveryState;
}

export interface Retried extends Found {
  /** Where to send it. */
  midoffice: Midoffice;
}

export interface QueueVerbs {
  /**
   * Returns false if the delivery does not exist. Until the end of the transaction, nobody else changes it, and no
   * attempt settles it, so what is read about it stays true.
   */
  lock(seq: number): Promise<boolean>;
  /**
   * Requests an attempt now. A pending delivery continues its schedule afterwards, and the attempt uses no
   * step of it. If an attempt is in flight and fails, another one follows. A delivery that is not pending is
   * queued again with a whole schedule. Returns false if the delivery does not exist.
   */
  retry(seq: number, midoffice: Midoffice): Promise<boolean>;
  /**
   * Retries each delivery that is still in the state in which it was found, so that one that was delivered
   * meanwhile is not sent again. At most `MOST_AT_ONCE`. Returns which.
   */
  retryMany(found: readonly Retried[]): Promise<number[]>;
  /**
   * Makes those due now that wait for the time of their next attempt, at most `MOST_AT_ONCE`, and returns
   * which. The attempts use no step of the schedule.
   */
  sendWaiting(seqs: readonly number[]): Promise<number[]>;
  /** Stops further attempts, or a delivery that waits for a midoffice. Returns false if it is neither. */
  cancel(seq: number): Promise<boolean>;
  /** Cancels those that are still pending, or still unrouted, at most `MOST_AT_ONCE`, and returns which. */
  cancelMany(found: readonly Found[]): Promise<number[]>;
  /** Says of exhausted deliveries that they need no recovery, at most `MOST_AT_ONCE`, and returns of which. */
  acknowledge(seqs: readonly number[]): Promise<number[]>;
  /**
   * Skips the wait before the next scheduled attempt. Returns false if the delivery changed since
   * `expectedRetriesUsed` was read, or is not waiting.
   */
  fastForward(seq: number, expectedRetriesUsed: number): Promise<boolean>;
  /** Lets the owner of the lane bring pending deliveries in line with the new `delivery_order`, before it sends any. */
  restateOrder(midofficeId: string): Promise<void>;
}

export function queueVerbs(
  db: Kysely<Schema>,
  nowMs: number,
  tellLanes: (notice: LanesNotice) => Promise<void>,
): QueueVerbs {
  // Parameters, so that a statement is prepared once and not for every group of a bulk retry.
  const integer = (value: number) => sql<number>`cast(${value} as bigint)`;
  const now = integer(nowMs);

  /** Returns those that exist. Locks in the order of `seq`, as everyone does, to avoid deadlocks. */
  async function lockDeliveries(
    seqs: readonly number[],
    { onlyUnrouted = false } = {},
  ): Promise<number[]> {
    const rows = await db
      .selectFrom('delivery')
      .select('seq')
      .where('seq', 'in', seqs)
      .$if(onlyUnrouted, (query) => query.where(isUnrouted()))
      .orderBy('seq')
      .$if(isPostgres(db), (query) => query.forUpdate())
      .execute();
    return rows.map(({ seq }) => seq);
  }

  /** As they are now: somebody may have changed them before the lock was free. */
  async function lockWithStates(seqs: readonly number[]): Promise<Map<number, DeliveryState>> {
    const locked = db
      .selectFrom('delivery')
      .select('seq')
      .where('seq', 'in', await lockDeliveries(seqs));
    return new Map((await readDeliveries(db, locked)).map(({ seq, state }) => [seq, state]));
  }

  /** Notifies their lanes, and returns which they are. */
  async function notifyLanes(rows: readonly ChangedRow[]): Promise<number[]> {
    const midofficeIds = [...new Set(rows.map(({ midoffice_id }) => midoffice_id))];
    if (rows.length > 0) await tellLanes({ kind: 'changed', midofficeIds });
    return seqsOf(rows);
  }

  /** The deliveries must be locked. Skips pending ones, and delivered ones unless `alsoDelivered`. */
  async function queueAgain(
    seqs: readonly number[],
    { id, ordered }: Midoffice,
    alsoDelivered: boolean,
  ): Promise<number[]> {
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
        'last_result',
      ])
      .expression(
        db
          .selectFrom('delivery')
          .leftJoin('given_up', 'given_up.seq', 'delivery.seq')
          .select([
            'delivery.seq',
            integer(shardOf(id)).as('shard'),
            sql<string>`cast(${id} as text)`.as('midoffice_id'),
            orderKey.as('order_key'),
            now.as('due_at'),
            sql<number>`0`.as('retries_used'),
            HIGHEST_ATTEMPT.as('attempts_made'),
            // Later than the value that an attempt in flight at the cancellation may have read.
            sql<number>`case when given_up.at >= ${now} then given_up.at + 1 else ${now} end`.as(
              'asked_at',
            ),
            LAST_RESULT.as('last_result'),
          ])
          .where('delivery.seq', 'in', seqs)
          .where(isNotIn('pending'))
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
    if (queued.length === 0) return [];
    const queuedSeqs = seqsOf(queued);
    await db.deleteFrom('given_up').where('seq', 'in', queuedSeqs).execute();
    await db
      .updateTable('delivery')
      .set({ midoffice_id: id })
      .where('seq', 'in', queuedSeqs)
      .where(sql<SqlBool>`midoffice_id is distinct from ${id}`)
      .execute();
    // None of them is in the lane's memory. Without an order to keep, it keeps what it has: reading that again for every
    // group of a large recovery takes a third of the thread. With one, later events that it holds have to wait now.
    await tellLanes({ kind: ordered ? 'changed' : 'work', midofficeIds: [id] });
    return queuedSeqs;
  }

  return {
    async lock(seq) {
      const found = await lockDeliveries([seq]);
      await lockRows(db, 'pending', [seq]);
      return found.length > 0;
    },

    async retry(seq, midoffice) {
      const found = await lockDeliveries([seq]);
      if (found.length === 0) return false;
      if ((await notifyLanes(await requestAttempt(db, [seq], nowMs))).length === 0) {
        await queueAgain([seq], midoffice, true);
      }
      return true;
    },

    async retryMany(found) {
      const pending = found.filter(({ state }) => state === 'pending');
      const others = found.filter(({ state }) => state !== 'pending');
      // All at once and in order, although they are queued in groups.
      const stateOf = others.length > 0 ? await lockWithStates(seqsOf(others)) : new Map();
      const retried =
        pending.length > 0
          ? await notifyLanes(await requestAttempt(db, seqsOf(pending), nowMs))
          : [];
      const groups = Map.groupBy(
        others.filter(({ seq, state }) => stateOf.get(seq) === state),
        ({ state, midoffice }) => `${midoffice.id} ${state === 'delivered'}`,
      );
      for (const group of groups.values()) {
        const [{ midoffice, state }] = group as [Retried, ...Retried[]];
        retried.push(...(await queueAgain(seqsOf(group), midoffice, state === 'delivered')));
      }
      return retried;
    },

    async sendWaiting(seqs) {
      return seqs.length > 0
        ? notifyLanes(await requestAttempt(db, seqs, nowMs, { onlyWaiting: true }))
        : [];
    },

    async cancel(seq) {
      await lockDeliveries([seq]);
      const pending = await notifyLanes(await cancelPending(db, [seq], nowMs));
      return pending.length > 0 || (await cancelUnrouted(db, [seq], nowMs)).length > 0;
    },

    async cancelMany(found) {
      const { pending = [], unrouted = [] } = Object.groupBy(found, ({ state }) => state);
      const locked =
        unrouted.length > 0 ? await lockDeliveries(seqsOf(unrouted), { onlyUnrouted: true }) : [];
      const cancelled =
        pending.length > 0
          ? await notifyLanes(await cancelPending(db, seqsOf(pending), nowMs))
          : [];
      return [...cancelled, ...(await cancelUnrouted(db, locked, nowMs))];
    },

    async acknowledge(seqs) {
      if (seqs.length === 0) return [];
      const locked = await lockDeliveries(seqs);
      if (locked.length === 0) return [];
      const rows = await db
        .updateTable('given_up')
        .set({ acknowledged_at: nowMs })
        .where('seq', 'in', locked)
        .where(isUnacknowledged())
        .returning('seq')
        .execute();
      return seqsOf(rows);
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
      if (row) await tellLanes({ kind: 'changed', midofficeIds: [row.midoffice_id] });
      return row !== undefined;
    },

    async restateOrder(midofficeId) {
      await markToRestate(db, midofficeId);
      await tellLanes({ kind: 'changed', midofficeIds: [midofficeId] });
    },
  };
}

function seqsOf(rows: readonly { seq: number }[]): number[] {
  return rows.map(({ seq }) => seq);
}
