/** The queue on PostgreSQL. Reading due work takes no lock: only the owner of a shard works on it. */
import type { Pool } from 'pg';
import type { DeliveryQueue } from '../../delivery/queue.ts';
import { firstInOrderAfter } from '../queue/free-next.ts';
import { ATTEMPTS_MADE, type DueRow, LANES, type LaneRow, sortOut, toLane } from '../queue/rows.ts';
import { settle } from './settle.ts';
import { CHANNEL, payloads, type WorkNotices } from './work-notices.ts';

/** Skips from midoffice to midoffice through the index, whatever waits for each of them. */
const WORK = `
  with recursive waiting (shard, id) as (
    select s.shard, (select min(p.midoffice_id) from pending p where p.shard = s.shard)
      from unnest($1::int[]) as s (shard)
    union all
    select w.shard, (select min(p.midoffice_id) from pending p
                      where p.shard = w.shard and p.midoffice_id > w.id)
      from waiting w where w.id is not null
  )
  select id as "midofficeId",
         (select p.due_at from pending p
           where p.shard = w.shard and p.midoffice_id = w.id and p.due_at >= 0
           order by p.due_at limit 1) as "nextDueAtMs"
    from waiting w where id is not null`;

/** Not filtered by time: the first row that is not due says when to read again. */
const DUE = `
  select l.place, p.seq, p.midoffice_id, p.order_key, p.due_at, p.retries_used,
         ${ATTEMPTS_MADE} as attempts_made, p.scheduled_at, p.asked_at, p.last_key, d.event_id, d.type, d.partner_order_id,
         d.agreement_number, d.status,
         case when p.order_key is not null
               and (select first.seq from (${firstInOrderAfter('p', '0')}) first) < p.seq
              then 1 else 0 end as blocked
    from unnest($1::int[], $2::text[], $3::int[]) with ordinality
           as l (shard, midoffice_id, count, place)
   cross join lateral (
     select * from pending q
      where q.shard = l.shard and q.midoffice_id = l.midoffice_id and q.due_at >= 0
        and q.seq <> all ($4::bigint[])
      order by q.due_at, q.seq limit l.count) p
    join delivery d on d.seq = p.seq
   order by l.place, p.due_at, p.seq`;

/**
 * The lock on the one before makes a cancel of it wait, and see what was parked (delivery-queue.md).
 * Taken in the order in which settlements take theirs, so that the two do not wait for each other.
 */
const PARK = `
  with blocked as materialized (
    select f.seq, f.order_key, head.seq as head
      from unnest($1::bigint[]) as b (seq) join pending f on f.seq = b.seq
     cross join lateral (${firstInOrderAfter('f', '0')}) head
     where head.midoffice_id = f.midoffice_id and head.order_key = f.order_key
       and head.seq < f.seq
  ), locked as materialized (
    select e.seq from pending e where e.seq in (select head from blocked)
     order by e.seq for key share
  )
  update pending p set due_at = null
    from blocked join locked on locked.seq = blocked.head
   where p.seq = blocked.seq and p.order_key = blocked.order_key`;

const FREE_STRANDED = `
  update pending p set due_at = $2
   where p.due_at is null and p.shard = $1 and not exists (
     select 1 from pending e
      where e.midoffice_id = p.midoffice_id and e.order_key = p.order_key and e.seq < p.seq)
  returning p.midoffice_id`;

type Row = DueRow & { place: number };

export function postgresQueue(
  pool: Pool,
  notices: WorkNotices,
  restateOrder: DeliveryQueue['restateOrder'],
): DeliveryQueue {
  return {
    async lanes(midofficeIds) {
      const { rows } = await pool.query<LaneRow>({
        name: 'lanes',
        text: `${LANES} where m.id = any($1)`,
        values: [midofficeIds],
      });
      return rows.map(toLane);
    },

    async workOf(shards) {
      const { rows } = await pool.query({ name: 'work', text: WORK, values: [shards] });
      return rows;
    },

    async due(lanes, nowMs) {
      const { rows } = await pool.query<Row>({
        // Not prepared: PostgreSQL would come to plan for any array of known rows, and then compares
        // each row with each of them instead of looking it up. A read of 100 lanes took 5 s.
        text: DUE,
        values: [
          lanes.map((lane) => lane.shard),
          lanes.map((lane) => lane.midofficeId),
          lanes.map((lane) => lane.limit),
          lanes.flatMap((lane) => [...lane.known]),
        ],
      });
      const rowsOf = lanes.map((): Row[] => []);
      for (const row of rows) rowsOf[row.place - 1]?.push(row);
      const read = lanes.map((lane, i) => sortOut(lane, rowsOf[i] as Row[], nowMs));
      const blocked = read.flatMap((lane) => lane.blocked);
      if (blocked.length > 0) await pool.query({ name: 'park', text: PARK, values: [blocked] });
      return read.map((lane) => lane.work);
    },

    settle: (settlements, nowMs) => settle(pool, settlements, nowMs),

    // What is settled is committed, and on the disk with that.
    synced: () => Promise.resolve(),

    restateOrder,

    async freeStranded(shard, nowMs) {
      const { rows } = await pool.query<{ midoffice_id: string }>({
        name: 'free stranded',
        text: FREE_STRANDED,
        values: [shard, nowMs],
      });
      return [...new Set(rows.map((row) => row.midoffice_id))];
    },

    async announce(midofficeIds) {
      await pool.query(`select pg_notify('${CHANNEL}', p) from unnest($1::text[]) as p`, [
        payloads('work', midofficeIds),
      ]);
    },

    onNotice: notices.subscribe,

    async markWorked(midofficeId, keyFingerprint) {
      const values = [midofficeId, keyFingerprint];
      await pool.query('update midoffice set worked_key = $2 where id = $1', values);
    },

    async markFailing(midofficeId, sinceMs) {
      // Of an incident that is known already, the beginning stays.
      await pool.query(
        `update midoffice set failing_since = $2::bigint, alerted_at = null
          where id = $1 and ($2::bigint is null or failing_since is null)`,
        [midofficeId, sinceMs],
      );
    },
  };
}
