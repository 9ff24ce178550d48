/**
 * Which node owns which shard, on PostgreSQL. All times are on the database's clock, so the clocks of nodes
 * may differ. Settlements hold a key-share lock on the shard's row. A renewal does not conflict with that
 * lock; a takeover does. That is the fence.
 */
import type { Pool } from 'pg';
import type { HeldShard, ShardLeases } from '../../delivery/queue.ts';
import { CHANNEL, noticeOfShards } from './work-notices.ts';

/** A crashed node's shards are free this long after its last renewal. */
export const LEASE_MS = 6_000;

const NOW = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

const RENEW = `
  with alive as (
    insert into delivery_node (id, host, since, until)
    values ($1, $2, ${NOW}, case when $6 then 0 else ${NOW} + $3 end)
    on conflict (id) do update set until = excluded.until
  ), renewed as (
    update shard s
       set until = ${NOW} + $3,
           in_flight = coalesce((select f.count from unnest($4::int[], $5::int[]) as f (n, count)
                                  where f.n = s.n), 0)
     where node = $1
    returning n, epoch
  )
  select coalesce((select json_agg(json_build_object('shard', n, 'epoch', epoch)) from renewed),
                  '[]') as held,
         (select count(*) from delivery_node where until > ${NOW} and id <> $1)
           + case when $6 then 0 else 1 end as nodes,
         (select count(*) from shard
           where (node is null or until < ${NOW}) and node is distinct from $1) as free`;

/**
 * `for update skip locked`: a shard with a settlement in progress is skipped and tried again at the next
 * renewal. Once it is taken, no settlement can commit under the old epoch.
 */
const TAKE = `
  with found as (
    select n from shard
     where (node is null or until < ${NOW}) and node is distinct from $1
     order by n limit $2 for update skip locked
  )
  update shard s set node = $1, epoch = s.epoch + 1, until = ${NOW} + $3, in_flight = 0
    from found where s.n = found.n
  returning s.n as shard, s.epoch`;

const RELEASE = `
  with freed as (
    update shard set node = null, until = 0, in_flight = 0
     where node = $1 and ($2::int[] is null or n = any($2))
    returning n
  )
  select pg_notify('${CHANNEL}', '${noticeOfShards}') from freed limit 1`;

/** Deletes nodes that crashed. Their rows stay for a day, for people who look for them. */
const FORGET = `delete from delivery_node where until < ${NOW} - 86400000`;

export function postgresShards(pool: Pool, leaseMs = LEASE_MS): ShardLeases {
  return {
    leaseMs,

    async renew({ id, host }, { inFlight, isRetiring }) {
      const { rows } = await pool.query<{ held: HeldShard[]; nodes: number; free: number }>({
        name: 'renew shards',
        text: RENEW,
        values: [id, host, leaseMs, [...inFlight.keys()], [...inFlight.values()], isRetiring],
      });
      return rows[0] as (typeof rows)[0];
    },

    async take({ id }, count) {
      await pool.query(FORGET);
      const { rows } = await pool.query<HeldShard>({
        name: 'take shards',
        text: TAKE,
        values: [id, count, leaseMs],
      });
      return rows;
    },

    async release({ id }, shards) {
      await pool.query(RELEASE, [id, shards]);
    },

    async leave({ id }) {
      await pool.query(RELEASE, [id, null]);
      await pool.query('delete from delivery_node where id = $1', [id]);
    },
  };
}
