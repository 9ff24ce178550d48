/** The queue on PostgreSQL. Reading due work takes no lock: only the owner of a shard works on it. */
import type { Pool } from 'pg';
import type { DeliveryQueue } from '../../delivery/queue.ts';
import { shardOf } from '../../delivery/queue.ts';
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
  select shard, id as "midofficeId",
         (select p.due_at from pending p
           where p.shard = w.shard and p.midoffice_id = w.id and p.due_at >= 0
           order by p.due_at limit 1) as "nextDueAtMs"
    from waiting w where id is not null`;

/** Not filtered by time: the first row that is not due says when to read again. */
const DUE = `
  select l.place, p.seq, p.midoffice_id, p.order_key, p.due_at, p.retries_used,
         ${ATTEMPTS_MADE} as attempts_made, p.scheduled_at, p.asked_at, p.last_key, d.event_id, d.type, d.partner_order_id,
         d.agreement_number, d.status,
         case when p.order_key is not null and exists (
           select 1 from pending e
            where e.midoffice_id = p.midoffice_id and e.order_key = p.order_key
              and e.seq < p.seq) then 1 else 0 end as blocked
    from unnest($1::int[], $2::text[], $3::int[]) with ordinality
           as l (shard, midoffice_id, count, place)
   cross join lateral (
     select * from pending q
      where q.shard = l.shard and q.midoffice_id = l.midoffice_id and q.due_at >= 0
        and q.seq <> all ($4::bigint[])
      order by q.due_at, q.seq limit l.count) p
    join delivery d on d.seq = p.seq
   order by l.place, p.due_at, p.seq`;

/** The lock on the one before makes a cancel of it wait, and see what was parked (delivery-queue.md). */
const PARK = `
  update pending p set due_at = null
    from unnest($1::bigint[]) as b (seq)
    join pending f on f.seq = b.seq
   cross join lateral (
     select e.seq from pending e
      where e.midoffice_id = f.midoffice_id and e.order_key = f.order_key and e.seq < f.seq
      order by e.seq limit 1 for key share) head
   where p.seq = b.seq and p.order_key = f.order_key`;

const FREE_STRANDED = `
  update pending p set due_at = $2
   where p.due_at is null and p.shard = any($1::int[]) and not exists (
     select 1 from pending e
      where e.midoffice_id = p.midoffice_id and e.order_key = p.order_key and e.seq < p.seq)`;

const RESTATE = `
  update pending p
     set due_at = coalesce(p.due_at, $2),
         order_key = case when m.delivery_order = 'per_order'
                          then d.partner_id || ' ' || d.partner_order_id end
    from delivery d, midoffice m
   where p.shard = $3 and p.midoffice_id = $1 and d.seq = p.seq and m.id = $1`;

type Row = DueRow & { place: number };

export function postgresQueue(pool: Pool, notices: WorkNotices): DeliveryQueue {
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
        name: 'due',
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

    async restateOrder(midofficeId, nowMs) {
      await pool.query(RESTATE, [midofficeId, nowMs, shardOf(midofficeId)]);
    },

    async freeStranded(shards, nowMs) {
      const { rowCount } = await pool.query(FREE_STRANDED, [shards, nowMs]);
      return rowCount ?? 0;
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
