/**
 * Fills a database with midoffices and with pending deliveries that are not due yet. It writes directly to
 * the tables of a Bellhop that is not running: through the API it would take too long.
 */
import { join } from 'node:path';
import { withClient } from '../kit/postgres.ts';
import { shardOf } from '../server/src/delivery/queue.ts';
import { connect } from '../server/src/store/sqlite/connection.ts';
import type { Midoffices } from './midoffices.ts';
import type { Database } from './postgres.ts';

export interface Stock {
  /** The total; missing ones are copies of the first one. */
  midoffices: number;
  /** Spread evenly over all midoffices. */
  pending: number;
}

const DUE_IN_MS = 3_600_000;

export function stockEmbedded(dataDir: string, present: Midoffices, stock: Stock): void {
  const connection = connect(join(dataDir, 'sandbox', 'bellhop.db'));
  connection.exec('begin');
  connection.exec('create temp table spread (n integer primary key, id text, shard integer)');
  connection
    .prepare(`insert into spread select key, value ->> 'id', value ->> 'shard' from json_each(?)`)
    .run(spread(present, stock));
  for (const statement of statements(present, stock)) connection.exec(statement);
  connection.exec('commit');
  connection.close();
}

export async function stockPostgres(
  { url }: Database,
  present: Midoffices,
  stock: Stock,
): Promise<void> {
  await withClient(url, async (client) => {
    await client.query('set search_path to bellhop');
    await client.query('create temp table spread (n integer primary key, id text, shard integer)');
    await client.query(
      `insert into spread
       select n - 1, value ->> 'id', (value ->> 'shard')::integer
         from jsonb_array_elements($1::jsonb) with ordinality as one (value, n)`,
      [spread(present, stock)],
    );
    for (const statement of statements(present, stock)) await client.query(statement);
    await client.query('vacuum analyze');
    // Otherwise the first rounds would compete with these writes for the disk.
    await client.query('checkpoint');
  });
}

function spread({ ids }: Midoffices, { midoffices }: Stock): string {
  const missing = Math.max(0, midoffices - ids.length);
  const all = [...ids, ...Array.from({ length: missing }, (_, n) => `mid_stock_${n}`)];
  return JSON.stringify(all.map((id) => ({ id, shard: shardOf(id) })));
}

/** Both engines accept them as they are. */
function statements({ ids, partnerId }: Midoffices, { midoffices, pending }: Stock): string[] {
  const made = `
    insert into midoffice (id, name, url, signing_key_id, body_form, delivery_order, max_in_flight,
                           paused, created_at)
    select spread.id, m.name, m.url, m.signing_key_id, m.body_form, m.delivery_order,
           m.max_in_flight, m.paused, m.created_at
      from spread cross join midoffice m
     where m.id = '${ids[0]}' and spread.n >= ${ids.length}`;
  if (pending === 0) return [made];
  const nowMs = Date.now();
  return [
    made,
    `insert into delivery (event_id, type, partner_id, partner_order_id, midoffice_id, accepted_at)
     with recursive numbers (n) as (
       select 1 union all select n + 1 from numbers where n < ${pending})
     select 'stock-' || numbers.n, 'created', '${partnerId}', 'stock-' || numbers.n, spread.id, ${nowMs}
       from numbers join spread on spread.n = numbers.n % ${midoffices}`,
    `insert into pending (seq, shard, midoffice_id, due_at, retries_used, attempts_made)
     select d.seq, spread.shard, d.midoffice_id, ${nowMs + DUE_IN_MS} + d.seq, 0, 0
       from delivery d join spread on spread.id = d.midoffice_id
      where d.event_id like 'stock-%'`,
  ];
}
