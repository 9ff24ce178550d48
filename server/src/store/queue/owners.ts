/** Which node delivers to which midoffices, to show it to people. Workers use `ShardLeases`. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { SHARDS, shardOf } from '../../delivery/queue.ts';
import { isPostgres } from '../engine.ts';
import type { Schema } from '../schema.ts';

export interface DeliveryNode {
  id: string;
  host: string;
  since: number;
  shards: number[];
  /** Attempts in flight at the node's last renewal. */
  in_flight: number;
}

export interface Owners {
  nodes: DeliveryNode[];
  /** Shards that no node delivers for at the moment. */
  unowned: number[];
}

export async function readOwners(db: Kysely<Schema>, nowMs: number): Promise<Owners> {
  const now = leaseClock(db, nowMs);
  const owned = await db
    .selectFrom('shard')
    .select(['n', 'node', 'in_flight'])
    .where('until', '>', now)
    .where('node', 'is not', null)
    .orderBy('n')
    .execute();
  const alive = await db
    .selectFrom('delivery_node')
    .select(['id', 'host', 'since'])
    .where('until', '>', now)
    .orderBy('since')
    .orderBy('id')
    .execute();
  const ownedShards = new Set(owned.map(({ n }) => n));
  return {
    nodes: alive.map((one) => {
      const own = owned.filter(({ node }) => node === one.id);
      const in_flight = own.reduce((sum, shard) => sum + shard.in_flight, 0);
      return { ...one, shards: own.map(({ n }) => n), in_flight };
    }),
    unowned: Array.from({ length: SHARDS }, (_, n) => n).filter((n) => !ownedShards.has(n)),
  };
}

/** The node that delivers to this midoffice; null if there is none. */
export async function ownerOf(
  db: Kysely<Schema>,
  midofficeId: string,
  nowMs: number,
): Promise<string | null> {
  const row = await db
    .selectFrom('shard')
    .select('node')
    .where('n', '=', shardOf(midofficeId))
    .where('until', '>', leaseClock(db, nowMs))
    .executeTakeFirst();
  return row?.node ?? null;
}

/** Attempts in flight on all nodes, as of each node's last renewal. */
export async function countInFlight(db: Kysely<Schema>, nowMs: number): Promise<number> {
  const { count } = await db
    .selectFrom('shard')
    .select((select) => select.fn.sum<number | null>('in_flight').as('count'))
    .where('until', '>', leaseClock(db, nowMs))
    .executeTakeFirstOrThrow();
  return Number(count ?? 0);
}

/** Leases end on the database's clock. SQLite has no clock of its own, so it uses ours. */
function leaseClock(db: Kysely<Schema>, nowMs: number): RawBuilder<number> {
  return isPostgres(db)
    ? sql<number>`(extract(epoch from clock_timestamp()) * 1000)::bigint`
    : sql<number>`${nowMs}`;
}
