import type { Pool } from 'pg';
import type { DeliveryQueue } from '../../delivery/queue.ts';
import { AT_ONCE, latestTimes, pullForward, type Row } from '../queue/pull-forward.ts';

/** Only late rows: PostgreSQL passes the others, and nothing waits for it here. */
export function latePage(schedule: readonly number[]): string {
  return `
    select seq, midoffice_id, due_at, 1 as is_late from pending
     where shard = $2 and (midoffice_id, due_at, seq) > ($3::text, $4::bigint, $5::bigint)
       and due_at > $1::bigint and due_at > ${latestTimes(schedule, '$1::bigint').dueAt}
     order by midoffice_id, due_at, seq limit ${AT_ONCE}`;
}

export function postgresPullForward(pool: Pool): DeliveryQueue['pullForward'] {
  return (shard, schedule, nowMs) => {
    const { dueAt, scheduledAt } = latestTimes(schedule, '$1::bigint');
    const late = latePage(schedule);
    // Locks in the order of `seq`, as everyone does, to avoid deadlocks.
    const pull = `
      with locked as materialized (
        select seq from pending where seq = any ($2::bigint[]) order by seq for update
      )
      update pending set due_at = ${dueAt}, scheduled_at = ${scheduledAt}
       where seq = any (array(select seq from locked)) and due_at > ${dueAt}`;
    return pullForward({
      async after({ midoffice_id, due_at, seq }) {
        const { rows } = await pool.query<Row>(late, [nowMs, shard, midoffice_id, due_at, seq]);
        return { rows, next: rows.length === AT_ONCE ? rows.at(-1) : undefined };
      },
      pull: (seqs) => pool.query(pull, [nowMs, seqs]),
    });
  };
}
