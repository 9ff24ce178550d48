/**
 * What the delay of a webhook is compared with: a server that accepts an event, stores it durably,
 * answers, and POSTs it on. It signs nothing and records no outcome. Its arguments are the receiver and a
 * database: the URL of a PostgreSQL, or a file for SQLite.
 */
import { createServer } from 'node:http';
import { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { Pool } from 'undici';
import { listening } from './listening.ts';

const [receiver, database] = process.argv.slice(2) as [string, string];
const { origin, pathname } = new URL(receiver);
const receivers = new Pool(origin, { pipelining: 1 });
const store = await (database.includes('://') ? inPostgres(database) : inSqlite(database));

async function inPostgres(url: string): Promise<(id: string, event: string) => Promise<unknown>> {
  const pool = new pg.Pool({ connectionString: url, max: 6 });
  await pool.query('create table relayed (id text primary key, event text not null)');
  const insert = 'insert into relayed values ($1, $2)';
  return (id, event) => pool.query({ name: 'store', text: insert, values: [id, event] });
}

function inSqlite(file: string): (id: string, event: string) => unknown {
  const db = new DatabaseSync(file);
  db.exec('pragma journal_mode = wal; pragma synchronous = full');
  db.exec('create table relayed (id text primary key, event text not null)');
  const insert = db.prepare('insert into relayed values (?, ?)');
  return (id, event) => insert.run(id, event);
}

const server = createServer({ keepAliveTimeout: 75_000 }, async (request, response) => {
  const { events } = JSON.parse(await text(request));
  for (const event of events) await store(event.event_id, JSON.stringify(event));
  response.writeHead(202, { 'content-length': 0 });
  response.end();
  for (const event of events) {
    const reply = await receivers.request({
      path: pathname,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ data: { partner_order_id: event.partner_order_id } }),
    });
    await reply.body.dump();
  }
});
listening(server);
