/**
 * The queue on SQLite. One process owns every shard. Epochs still fence, so that attempts from before a
 * restart cannot be settled after it.
 */
import type { SQLInputValue } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { attemptFields } from '../../delivery/attempt.ts';
import type { DeliveryQueue, Notice, Settled, WaitingWork } from '../../delivery/queue.ts';
import type { Settlement } from '../../delivery/stages.ts';
import { followUp, type PendingSnapshot, settledAs } from '../queue/follow-up.ts';
import { FREE_NEXT_SQLITE, FREE_STRANDED_SQLITE } from '../queue/free-next.ts';
import { resultOf } from '../queue/last-result.ts';
import {
  type DueRow,
  dueColumns,
  LANES,
  type LaneRow,
  splitDueRows,
  toLane,
} from '../queue/rows.ts';
import type { PendingRow } from '../schema.ts';
import type { SqliteNotices } from './notices.ts';
import { sqlitePullForward } from './pull-forward.ts';
import type { Writer } from './writing.ts';

type OrderOf = Pick<PendingRow, 'midoffice_id' | 'order_key'>;

/** `notify` passes notices from other code on this connection to the worker. */
export interface SqliteQueue extends DeliveryQueue {
  notify(notice: Notice): void;
}

export function sqliteQueue(
  writer: Writer,
  notices: Pick<SqliteNotices, 'exhausted'>,
  restateOrder: DeliveryQueue['restateOrder'],
): SqliteQueue {
  const { connection } = writer;
  // Not filtered by due time: the first row that is not due yet says when to read again.
  const first = connection.prepare(`
    select ${dueColumns(`p.order_key is not null and exists (
             select 1 from pending e
              where e.midoffice_id = p.midoffice_id and e.order_key = p.order_key
                and e.seq < p.seq)`)}
      from pending p join delivery d on d.seq = p.seq
     where p.shard = ?1 and p.midoffice_id = ?2 and p.due_at >= 0
       and p.seq not in (select value from json_each(?4))
     -- Without the plus SQLite prepares the statement again for every value: 65 µs instead of 5.
     order by p.due_at, p.seq limit +?3`);
  first.setReturnArrays(true);
  const nextMidoffice = connection.prepare(`
    select midoffice_id from pending where shard = ?1 and midoffice_id > ?2
     order by midoffice_id limit 1`);
  const nextDue = connection.prepare(`
    select due_at from pending where shard = ?1 and midoffice_id = ?2 and due_at >= 0
     order by due_at limit 1`);
  const park = connection.prepare(`
    update pending set due_at = null
     where seq = ? and exists (
       select 1 from pending e
        where e.midoffice_id = pending.midoffice_id and e.order_key = pending.order_key
          and e.seq < pending.seq)`);
  const epochOf = connection.prepare('select epoch from shard where n = ?');
  const snapshot = connection.prepare(
    'select midoffice_id, order_key, asked_at, due_at from pending where seq = ?',
  );
  const remove = connection.prepare(
    'delete from pending where seq = ? returning midoffice_id, order_key',
  );
  const postpone = connection.prepare(`
    update pending set due_at = ?2, scheduled_at = ?3, retries_used = ?4, attempts_made = ?5,
                       last_key = ?6, last_result = ?7
     where seq = ?1`);
  const giveUp = connection.prepare(`
    insert into given_up (seq, midoffice_id, partner_id, state, at, why, last_result)
    values (?, ?, ?, 'exhausted', ?, ?, ?)`);
  const endedLate = connection.prepare('update given_up set last_result = ?2 where seq = ?1');
  const freeNext = connection.prepare(FREE_NEXT_SQLITE);
  const freeStranded = connection.prepare(FREE_STRANDED_SQLITE);
  const record = connection.prepare(`
    insert into attempt (delivery_seq, ${attemptFields.join(', ')})
    values (?${', ?'.repeat(attemptFields.length)}) on conflict do nothing`);
  // Whether the attempt of this number is another one, and the highest number.
  const clashing = connection.prepare(`
    select (select max(number) from attempt where delivery_seq = ?1) as highest from attempt
     where delivery_seq = ?1 and number = ?2 and signature_token <> ?3`);
  const worked = connection.prepare('update midoffice set worked_key = ? where id = ?');
  // An incident that is already known keeps its start.
  const failing = connection.prepare(`
    update midoffice set failing_since = ?1, alerted_at = null
     where id = ?2 and (?1 is null or failing_since is null)`);
  const listeners = new Set<(notice: Notice) => void>();

  function notify(notice: Notice): void {
    for (const listener of listeners) listener(notice);
  }

  function nextWork(shard: number, after: string): WaitingWork | undefined {
    const row = nextMidoffice.get(shard, after) as { midoffice_id: string } | undefined;
    if (!row) return undefined;
    const due = nextDue.get(shard, row.midoffice_id) as { due_at: number } | undefined;
    return { midofficeId: row.midoffice_id, nextDueAtMs: due?.due_at ?? null };
  }

  function insertAttempt({ due, attempt }: Settlement): boolean {
    const { changes } = record.run(due.seq, ...attemptFields.map((name) => attempt[name]));
    return changes === 1;
  }

  /**
   * Records the attempt under the next free number if another one has its number: a delivery that was cancelled during
   * an attempt and sent again elsewhere has two attempts in flight. `isNew` is false if it was already recorded.
   */
  function recordAttempt(settlement: Settlement): { recorded: Settlement; isNew: boolean } {
    if (insertAttempt(settlement)) return { recorded: settlement, isNew: true };
    const { due, attempt } = settlement;
    const clash = clashing.get(due.seq, attempt.number, attempt.signature_token);
    if (!clash) return { recorded: settlement, isNew: false };
    const number = (clash as { highest: number }).highest + 1;
    const recorded = { ...settlement, attempt: { ...attempt, number } };
    return { recorded, isNew: insertAttempt(recorded) };
  }

  /** Where it was queued: after a cancellation, that need not be where the attempt was made. */
  function freeBehind({ midoffice_id, order_key }: OrderOf, seq: number, nowMs: number): void {
    if (order_key) freeNext.run(midoffice_id, order_key, seq, nowMs);
  }

  /** The outcome of almost every attempt, in two statements. */
  function settleDelivered(settlement: Settlement, nowMs: number): Settled {
    const { due } = settlement;
    const { recorded, isNew } = recordAttempt(settlement);
    // Already recorded: an earlier try succeeded unnoticed, and support may have queued it again.
    const row = isNew ? (remove.get(due.seq) as OrderOf | undefined) : undefined;
    if (row) freeBehind(row, due.seq, nowMs);
    if (isNew && !row) endedLate.run(due.seq, resultOf(settlement.attempt));
    return settledAs(recorded, { kind: row ? 'delivered' : 'cancelled' }, isNew);
  }

  function settleFailed(settlement: Settlement, nowMs: number): Settled {
    const { recorded, isNew } = recordAttempt(settlement);
    const { due, attempt } = recorded;
    const row = snapshot.get(due.seq) as (PendingSnapshot & OrderOf) | undefined;
    const next = followUp(recorded, row, { isNew, nowMs });
    switch (next.kind) {
      case 'pending':
        postpone.run(
          due.seq,
          next.due_at,
          next.scheduled_at,
          next.retries_used,
          attempt.number,
          recorded.last_key,
          resultOf(attempt),
        );
        break;
      case 'exhausted':
        remove.get(due.seq);
        giveUp.run(
          due.seq,
          due.midoffice_id,
          due.partner_id,
          next.settled_at,
          attempt.failure_code,
          resultOf(attempt),
        );
        notices.exhausted(recorded, nowMs);
        if (row) freeBehind(row, due.seq, nowMs);
        break;
      case 'cancelled':
        if (isNew) endedLate.run(due.seq, resultOf(attempt));
        break;
      case 'known':
      case 'delivered':
        break;
      default:
        next satisfies never;
    }
    return settledAs(recorded, next, isNew);
  }

  function settle(settlements: readonly Settlement[], nowMs: number): Settled[] {
    const epochs = new Map<number, number>();
    for (const { shard } of settlements.map(({ due }) => due)) {
      if (!epochs.has(shard)) epochs.set(shard, (epochOf.get(shard) as { epoch: number }).epoch);
    }
    return settlements
      .filter(({ due }) => epochs.get(due.shard) === due.epoch)
      .map((one) =>
        one.state === 'delivered' ? settleDelivered(one, nowMs) : settleFailed(one, nowMs),
      );
  }

  return {
    notify,

    async lanes(midofficeIds) {
      const marks = midofficeIds.map(() => '?').join();
      const rows = await writer.between(() =>
        connection.prepare(`${LANES} where m.id in (${marks})`).all(...midofficeIds),
      );
      return (rows as (LaneRow & (typeof rows)[number])[]).map(toLane);
    },

    async workOf(shards) {
      const work: WaitingWork[] = [];
      for (const shard of shards) {
        // 100,000 midoffices with work take most of a second, which would block everything else.
        await nextTurn();
        for (let after = ''; ; ) {
          const next = writer.noting(() => nextWork(shard, after));
          if (!next) break;
          after = next.midofficeId;
          work.push(next);
        }
      }
      return work;
    },

    due: (lanes, nowMs) =>
      writer.between(() => {
        const read = lanes.map((lane) => {
          const known = `[${[...lane.known].join()}]`;
          // Typed as objects, although they are lists.
          const rows: unknown = first.all(lane.shard, lane.midofficeId, lane.limit, known);
          return splitDueRows(lane, rows as DueRow[], nowMs);
        });
        const work = read.map((lane) => lane.work);
        const blocked = read.flatMap((lane) => lane.blocked);
        if (blocked.length === 0) return work;
        // Only lanes that deliver per order have rows to park.
        return writer.unsynced(() => {
          for (const seq of blocked) park.run(seq);
          return work;
        });
      }),

    settle: (settlements, nowMs) => writer.unsynced(() => settle(settlements, nowMs)),

    synced: () => writer.synced(),

    restateOrder,
    pullForward: sqlitePullForward(writer),

    async freeStranded(shard, nowMs) {
      await nextTurn();
      const rows = await writer.unsynced(() => freeStranded.all(shard, nowMs));
      return [...new Set((rows as { midoffice_id: string }[]).map((row) => row.midoffice_id))];
    },

    async announce(midofficeIds) {
      notify({ kind: 'work', midofficeIds });
    },

    onNotice(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },

    async markWorked(midofficeId, keyFingerprint) {
      await writer.durable(() => worked.run(keyFingerprint, midofficeId));
    },

    async markFailing(midofficeId, sinceMs) {
      await writer.durable(() => failing.run(sinceMs as SQLInputValue, midofficeId));
    },
  };
}
