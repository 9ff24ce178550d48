import type { OrderStore } from '../../delivery/orders/accept.ts';
import { type Facts, judge, type StoredEvent } from '../../delivery/orders/judge.ts';
import type { Due } from '../../delivery/stages.ts';
import { lanesOfOtherNodes, type NewPending, newPendingOf, ownWork } from '../queue/new-work.ts';
import type { Writer } from './writing.ts';

export function sqliteOrders(
  writer: Writer,
  announceWork: (midofficeIds: readonly string[]) => void,
): OrderStore<Due> {
  const { connection } = writer;
  const partner = connection.prepare('select midoffice_id from partner where id = ?');
  const midoffice = connection.prepare('select delivery_order from midoffice where id = ?');
  const stored = connection.prepare(`
    select seq, midoffice_id, type, partner_id, partner_order_id, agreement_number, status,
           asked_midoffice_id
      from delivery where event_id = ?`);
  const insert = connection.prepare(`
    insert into delivery (event_id, type, partner_id, partner_order_id, agreement_number, status,
                          asked_midoffice_id, midoffice_id, accepted_at, trace_context)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const queue = connection.prepare(`
    insert into pending (seq, shard, midoffice_id, order_key, due_at, retries_used, attempts_made)
    values (?, ?, ?, ?, ?, 0, 0)`);

  function facts(): Facts {
    return {
      midofficeOf: remembered((id) => {
        const row = partner.get(id) as { midoffice_id: string | null } | undefined;
        return row?.midoffice_id;
      }),
      isOrdered: remembered((id) => {
        const row = midoffice.get(id) as { delivery_order: string } | undefined;
        return row && row.delivery_order === 'per_order';
      }),
      stored: (eventId) => stored.get(eventId) as StoredEvent | undefined,
    };
  }

  return {
    async accept(requests, nowMs, epochOf) {
      const seqs = new Map<string, number>();
      const seqOf = (eventId: string) => seqs.get(eventId) as number;
      let queued: NewPending[] = [];
      const judgement = await writer.durable(() => {
        const judged = judge(requests, facts());
        for (const row of judged.rows) {
          const { lastInsertRowid } = insert.run(
            row.event_id,
            row.type,
            row.partner_id,
            row.partner_order_id,
            row.agreement_number,
            row.status,
            row.asked_midoffice_id,
            row.midoffice_id,
            nowMs,
            row.trace_context,
          );
          seqs.set(row.event_id, Number(lastInsertRowid));
        }
        queued = newPendingOf(judged.rows, epochOf);
        for (const { event_id, shard, midoffice_id, order_key } of queued) {
          queue.run(seqOf(event_id), shard, midoffice_id, order_key, nowMs);
        }
        return judged;
      });
      const others = lanesOfOtherNodes(queued);
      if (others.length > 0) announceWork(others);
      return { verdicts: judgement.verdicts(seqOf), work: ownWork(queued, seqOf) };
    },
  };
}

function remembered<T>(look: (id: string) => T): (id: string) => T {
  const known = new Map<string, T>();
  return (id) => {
    if (!known.has(id)) known.set(id, look(id));
    return known.get(id) as T;
  };
}
