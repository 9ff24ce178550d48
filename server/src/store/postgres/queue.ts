/** The queue on PostgreSQL. Reading due work takes no lock, because only a shard's owner works on it. */
import type { Pool } from 'pg';
import type { DeliveryQueue } from '../../delivery/queue.ts';
import type { Settlement } from '../../delivery/stages.ts';
import { FREE_STRANDED_POSTGRES, firstInOrderAfter } from '../queue/free-next.ts';
import {
  type DueRow,
  dueColumns,
  LANES,
  type LaneRow,
  splitDueRows,
  toLane,
} from '../queue/rows.ts';
import { postgresPullForward } from './pull-forward.ts';
import { settle } from './settle.ts';
import { CHANNEL, payloads, type WorkNotices } from './work-notices.ts';

/** Skips from midoffice to midoffice through the index, however many rows each of them has. */
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

/** Not filtered by due time: the first row that is not due yet says when to read again. */
const DUE = `
  select ${dueColumns(`p.order_key is not null
           and (select first.seq from (${firstInOrderAfter('p', '0')}) first) < p.seq`)}, l.position
    from unnest($1::int[], $2::text[], $3::int[]) with ordinality
           as l (shard, midoffice_id, count, position)
   cross join lateral (
     select * from pending q
      where q.shard = l.shard and q.midoffice_id = l.midoffice_id and q.due_at >= 0
        and q.seq <> all ($4::bigint[])
      order by q.due_at, q.seq limit l.count) p
    join delivery d on d.seq = p.seq
   order by l.position, p.due_at, p.seq`;

/**
 * The lock on the event ahead makes a cancel of that event wait, and then see what was parked
 * (delivery-queue.md). It must still have its order once it is locked: support may have lifted the rule
 * meanwhile, and nothing would free what is parked behind it. Locks are taken in the same order as settlements take theirs, to avoid deadlocks.
 *
 * Arrays and `offset 0` instead of joins: if `pending` was empty when it was last analyzed, as on an idle
 * system, PostgreSQL went through all pending rows for each blocked one. To park 500 of 8,000 took 6.4 s,
 * longer than a statement may take; now 0.14 s.
 */
export const PARK = `
  with blocked as materialized (
    select f.seq, f.order_key, head.seq as head
      from (select seq, midoffice_id, order_key from pending
             where seq = any ($1::bigint[]) offset 0) f
     cross join lateral (${firstInOrderAfter('f', '0')}) head
     where head.midoffice_id = f.midoffice_id and head.order_key = f.order_key
       and head.seq < f.seq
  ), locked as materialized (
    select e.seq from pending e
     where e.seq = any (array(select head from blocked)) and e.order_key is not null
     order by e.seq for key share
  )
  update pending p set due_at = null
    from blocked join locked on locked.seq = blocked.head
   where p.seq = any ($1::bigint[]) and p.seq = blocked.seq and p.order_key = blocked.order_key`;

export function postgresQueue(
  pool: Pool,
  notices: WorkNotices,
  restateOrder: DeliveryQueue['restateOrder'],
  keep: (outcomes: readonly Settlement[]) => void,
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
      const { rows } = await pool.query<DueRow & unknown[]>({
        rowMode: 'array',
        // Not prepared: PostgreSQL would switch to a generic plan, which compares each row with each known
        // one instead of hashing them. A read of 100 lanes took 5 s.
        text: DUE,
        values: [
          lanes.map((lane) => lane.shard),
          lanes.map((lane) => lane.midofficeId),
          lanes.map((lane) => lane.limit),
          lanes.flatMap((lane) => [...lane.known]),
        ],
      });
      const rowsOf = lanes.map((): DueRow[] => []);
      // The last column is the lane's place among those asked for.
      for (const row of rows) rowsOf[(row[17] as number) - 1]?.push(row);
      const read = lanes.map((lane, i) => splitDueRows(lane, rowsOf[i] as DueRow[], nowMs));
      const blocked = read.flatMap((lane) => lane.blocked);
      if (blocked.length > 0) await pool.query({ name: 'park', text: PARK, values: [blocked] });
      return read.map((lane) => lane.work);
    },

    async settle(settlements, nowMs) {
      const settled = await settle(pool, settlements, nowMs);
      keep(settled.map(({ settlement }) => settlement));
      return settled;
    },

    // A commit on PostgreSQL is already on the disk.
    synced: () => Promise.resolve(),

    restateOrder,
    pullForward: postgresPullForward(pool),

    async freeStranded(shard, nowMs) {
      const { rows } = await pool.query<{ midoffice_id: string }>({
        name: 'free stranded',
        text: FREE_STRANDED_POSTGRES,
        values: [shard, nowMs],
      });
      return [...new Set(rows.map((row) => row.midoffice_id))];
    },

    async announce(midofficeIds) {
      await pool.query(`select pg_notify('${CHANNEL}', p) from unnest($1::text[]) as p`, [
        payloads({ kind: 'work', midofficeIds }),
      ]);
    },

    onNotice: notices.subscribe,

    async markWorked(midofficeId, keyFingerprint) {
      const values = [midofficeId, keyFingerprint];
      await pool.query('update midoffice set worked_key = $2 where id = $1', values);
    },

    async markFailing(midofficeId, sinceMs) {
      // An incident that is already known keeps its start.
      await pool.query(
        `update midoffice set failing_since = $2::bigint, alerted_at = null
          where id = $1 and ($2::bigint is null or failing_since is null)`,
        [midofficeId, sinceMs],
      );
    },
  };
}
