/** A booking core's database for tests, with what the recipe of docs/booking-core/outbox.md needs. */
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { onTestFinished } from 'vitest';
import type { Sender } from '../../server/e2e/webhook-bellhop.ts';
import type { NewPostgresDatabase } from '../../test/support.ts';

const SCHEMA = readFileSync(new URL('schema.sql', import.meta.url), 'utf8');
const ORDERS = `create table orders
  (id text primary key, partner_id text not null, status text, version int not null default 0)`;

/** Processes are slow on a busy machine. */
export const PATIENT = { timeout: 30_000 };

export async function newCore(newDatabase: NewPostgresDatabase) {
  const url = await newDatabase();
  const client = await connect(url);
  await client.query(`${ORDERS}; ${SCHEMA}`);
  return {
    url,
    client,
    addOrder: (id: string, { partnerId }: Sender) =>
      client.query('insert into orders (id, partner_id) values ($1, $2)', [id, partnerId]),
    async waiting(): Promise<number> {
      const { rows } = await client.query(
        'select count(*)::int as count from order_event_outbox where parked_at is null',
      );
      return rows[0].count;
    },
    async parked(): Promise<[string, string][]> {
      const { rows } = await client.query(
        'select event_id, refusal from order_event_outbox where parked_at is not null order by position',
      );
      return rows.map(({ event_id, refusal }) => [event_id, refusal]);
    },
  };
}

export async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}
