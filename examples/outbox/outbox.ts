/**
 * The outbox table, over one connection. The connection also holds the lock that makes its relay the only
 * one that sends: if it breaks, the lock is gone and another relay goes on from the same rows.
 */
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';

export interface OrderEvent {
  event_id: string;
  partner_order_id: string;
}

export interface Row {
  position: string;
  event: OrderEvent;
}

export interface Lag {
  /** Events that Bellhop has not accepted yet, counted up to 100,000. */
  waiting: number;
  /** Age of the oldest of them; 0 if there is none. */
  oldestSeconds: number;
  parked: number;
}

const CHANNEL = 'order_event_outbox';
const MOST_COUNTED = 100_000;
const LOCK_RETRY_MS = 1_000;
/**
 * PostgreSQL ends the session of a relay that hangs, which releases its lock. Longer than a POST or a pause
 * between two statements. A working relay never reaches it.
 */
const IDLE_SESSION_MS = 90_000;

/** For the names of an event's fields and the punctuation. */
const FRAME_BYTES = 160;
/**
 * The sizes are those of the columns, which PostgreSQL knows without reading large values. The first row comes in any
 * case, so that a large event cannot hold up the others for ever.
 */
const NEXT = `
  with waiting as (
    select *, ${FRAME_BYTES} + octet_length(event_id) + octet_length(type) + octet_length(partner_id)
      + octet_length(partner_order_id) + coalesce(octet_length(agreement_number), 0)
      + coalesce(octet_length(status), 0) + coalesce(octet_length(midoffice_id), 0) as bytes
    from order_event_outbox where parked_at is null order by position limit $1),
  summed as (
    select *, row_number() over earlier as number, sum(bytes) over earlier as total
    from waiting window earlier as (order by position))
  select position, json_strip_nulls(json_build_object(
    'event_id', event_id, 'type', type, 'partner_id', partner_id, 'partner_order_id', partner_order_id,
    'agreement_number', agreement_number, 'status', status, 'midoffice_id', midoffice_id)) as event
  from summed where number = 1 or total <= $2 order by position`;

const LAG = `
  select
    (select count(*)::int from
      (select 1 from order_event_outbox where parked_at is null limit ${MOST_COUNTED}) as counted) as waiting,
    (select count(*)::int from
      (select 1 from order_event_outbox where parked_at is not null limit ${MOST_COUNTED}) as counted) as parked,
    coalesce((select extract(epoch from clock_timestamp() - created_at)::float8
      from order_event_outbox where parked_at is null order by position limit 1), 0) as "oldestSeconds"`;

export class Outbox {
  readonly #client: pg.Client;
  #notified = false;
  #wake: () => void = () => {};

  private constructor(client: pg.Client) {
    this.#client = client;
    client.on('notification', () => {
      this.#notified = true;
      this.#wake();
    });
    // The statement in progress, or the next one, fails with the same error.
    client.on('error', () => this.#wake());
  }

  static async open(databaseUrl: string): Promise<Outbox> {
    const client = new pg.Client({
      application_name: 'order event relay',
      options: `-c idle_session_timeout=${IDLE_SESSION_MS}`,
      connectionTimeoutMillis: 10_000,
      query_timeout: 30_000,
      keepAlive: true,
      // Last, so that its parameters win.
      connectionString: databaseUrl,
    });
    const outbox = new Outbox(client);
    await client.connect();
    await client.query(`listen ${CHANNEL}`);
    return outbox;
  }

  /** Waits until no other relay works on this table. Resolves to false if `signal` came first. */
  async lock(signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const { rows } = await this.#client.query(
        `select pg_try_advisory_lock('order_event_outbox'::regclass::oid::bigint) as locked`,
      );
      if (rows[0].locked) return true;
      await pause(LOCK_RETRY_MS, undefined, { signal }).catch(() => {});
    }
    return false;
  }

  /** The oldest events, oldest first: at least one, and otherwise about `mostBytes` at most. */
  async next(most: number, mostBytes: number): Promise<Row[]> {
    this.#notified = false;
    return (await this.#client.query<Row>(NEXT, [most, mostBytes])).rows;
  }

  async remove(rows: Row[]): Promise<void> {
    const positions = rows.map(({ position }) => position);
    await this.#client.query('delete from order_event_outbox where position = any($1::bigint[])', [
      positions,
    ]);
  }

  async park({ position }: Row, refusal: string): Promise<void> {
    await this.#client.query(
      'update order_event_outbox set parked_at = clock_timestamp(), refusal = $2 where position = $1',
      [position, refusal],
    );
  }

  async lag(): Promise<Lag> {
    return (await this.#client.query<Lag>(LAG)).rows[0] as Lag;
  }

  /** Resolves when a transaction has notified us since the last `next`, but after `mostMs` at the latest. */
  async changed(mostMs: number, signal: AbortSignal): Promise<void> {
    if (this.#notified) return;
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    await pause(mostMs, undefined, { signal: either }).catch(() => {});
    this.#wake = () => {};
  }

  async close(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}
