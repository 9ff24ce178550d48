import type { OrderStore } from '../../orders/accept.ts';
import { type Facts, judge, type StoredEvent } from '../../orders/judge.ts';
import type { Writer } from './writing.ts';

export function sqliteOrders(
  writer: Writer,
  announceWork: (midofficeIds: readonly string[]) => void,
): OrderStore {
  const { connection } = writer;
  const partner = connection.prepare('select midoffice_id from partner where id = ?');
  const midoffice = connection.prepare('select delivery_order from midoffice where id = ?');
  const stored = connection.prepare(`
    select seq, midoffice_id, type, partner_id, partner_order_id, agreement_number, status,
           asked_midoffice_id
      from delivery where event_id = ?`);
  const insert = connection.prepare(`
    insert into delivery (event_id, type, partner_id, partner_order_id, agreement_number, status,
                          asked_midoffice_id, midoffice_id, ordered, state, due_at, attempts_made,
                          retries_used, accepted_at, settled_at)
    values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, ?, ?)`);
  const ahead = connection.prepare(`
    select due_at from delivery
     where midoffice_id = ? and partner_order_id = ? and partner_id = ?
       and state = 'pending' and ordered = 1
     order by seq desc limit 1`);

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
    async accept(requests, nowMs) {
      const seqs = new Map<string, number>();
      const judgement = await writer.durable(() => {
        const judged = judge(requests, facts());
        for (const row of judged.rows) {
          const routed = row.midoffice_id !== null;
          // Behind another event of its order it waits as long as that one does.
          const before = row.ordered
            ? (ahead.get(row.midoffice_id, row.partner_order_id, row.partner_id) as
                | { due_at: number }
                | undefined)
            : undefined;
          const { lastInsertRowid } = insert.run(
            row.event_id,
            row.type,
            row.partner_id,
            row.partner_order_id,
            row.agreement_number,
            row.status,
            row.asked_midoffice_id,
            row.midoffice_id,
            row.ordered,
            row.state,
            routed ? Math.max(nowMs, before?.due_at ?? 0) : null,
            nowMs,
            routed ? null : nowMs,
          );
          seqs.set(row.event_id, Number(lastInsertRowid));
        }
        return judged;
      });
      const midofficeIds = new Set(judgement.rows.map((row) => row.midoffice_id));
      midofficeIds.delete(null);
      if (midofficeIds.size > 0) announceWork([...midofficeIds] as string[]);
      return judgement.verdicts((eventId) => seqs.get(eventId) as number);
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
