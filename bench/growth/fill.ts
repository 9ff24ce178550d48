/**
 * Fills the tables of a Bellhop that is not running. SQL makes the rows: through the API, ten million
 * deliveries would take an hour.
 */
import { join } from 'node:path';
import { withClient } from '../../kit/postgres.ts';
import type { Engine } from '../../server/src/store/engine.ts';
import { connect } from '../../server/src/store/sqlite/connection.ts';
import type { Midoffices } from '../midoffices.ts';
import type { Database } from '../postgres.ts';
import { stockEmbedded, stockPostgres } from '../stock.ts';
import type { StockSize } from './stock-size.ts';

/** What the pages look for among the rows. */
export const STOCKED = {
  partner: 'par_stock_5',
  midoffice: 'mid_stock_5',
  order: 'order-7',
  actor: 'Ann',
  /** Made one entry, the oldest. */
  quietActor: 'Zoe',
  action: 'key.update',
  /** Was done once, first of all. */
  rareAction: 'key.revoke',
  /** There is one of them, the oldest. */
  rareNotice: 'url_changed',
};

/** Of a row of `delivery`. */
const GIVEN_UP = 'seq % 1000 between 4 and 7';
const STATUS = `case when not ${GIVEN_UP} then 200 when seq % 4 < 2 then null else 404 end`;
const FAILURE = `case when not ${GIVEN_UP} then null when seq % 4 < 2 then 'timeout' else 'status' end`;
const SPAN_MS = 30 * 86_400_000;
/** From here on, building an index at the end is quicker than keeping it up to date. */
const MANY = 500_000;
const INDEXED = ['delivery', 'attempt', 'audit', 'api_key', 'notice', 'mail'];

export async function fillEmbedded(
  dataDir: string,
  present: Midoffices,
  size: StockSize,
): Promise<void> {
  const connection = connect(join(dataDir, 'sandbox', 'bellhop.db'));
  // A crash would leave nothing worth keeping.
  connection.exec('pragma synchronous = off; pragma cache_size = -1000000');
  const indices = isLarge(size)
    ? connection
        .prepare(
          `select name, sql from sqlite_master where type = 'index' and sql is not null
              and tbl_name in (${INDEXED.map((table) => `'${table}'`).join()})`,
        )
        .all()
    : [];
  connection.exec('begin');
  for (const { name } of indices) connection.exec(`drop index ${name}`);
  for (const statement of statements('sqlite', size)) connection.exec(statement);
  for (const { sql } of indices) connection.exec(sql as string);
  connection.exec('commit');
  connection.close();
  stockEmbedded(dataDir, present, size);
}

export async function fillPostgres(
  database: Database,
  present: Midoffices,
  size: StockSize,
): Promise<void> {
  await withClient(database.url, async (client) => {
    await client.query('set search_path to bellhop');
    const { rows: indices } = isLarge(size)
      ? await client.query(
          `select indexname as name, indexdef as sql from pg_indexes
            where schemaname = 'bellhop' and tablename = any($1)
              and indexname not in (select conname from pg_constraint)`,
          [INDEXED],
        )
      : { rows: [] };
    await client.query('begin');
    for (const { name } of indices) await client.query(`drop index ${name}`);
    for (const statement of statements('postgres', size)) await client.query(statement);
    for (const { sql } of indices) await client.query(sql);
    await client.query('commit');
  });
  await stockPostgres(database, present, size);
}

function isLarge({ delivered, audit, keys }: StockSize): boolean {
  return Math.max(delivered, audit, keys) >= MANY;
}

function statements(engine: Engine, { delivered, partners, keys, audit }: StockSize): string[] {
  const nowMs = Date.now();
  const numbers = (count: number) =>
    engine === 'postgres'
      ? `(select generate_series(1, ${count}) as n) as numbers`
      : `(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${count}) select n from numbers where n <= ${count}) as numbers`;
  const madeAt = (count: number) =>
    `${nowMs - SPAN_MS} + ${engine === 'postgres' ? 'n::bigint' : 'n'} * ${SPAN_MS} / ${Math.max(count, 1)}`;
  // Sorts by its time, as ids of notices do.
  const noticeId = `'ntc_stock_' || ${engine === 'postgres' ? "lpad(n::text, 8, '0')" : "printf('%08d', n)"}`;
  return [
    `insert into partner (id, name, integration_started_on, is_new, suspended, created_at)
     select 'par_stock_' || n, 'Partner ' || n, '2025-10-01', 1, 0, ${madeAt(partners)}
       from ${numbers(partners)}`,
    `insert into delivery (event_id, type, partner_id, partner_order_id, midoffice_id, accepted_at)
     select 'old-' || n,
            case when n % 100 < 70 then 'created' when n % 100 < 99 then 'updated' else 'cancelled' end,
            'par_stock_' || (1 + n % ${partners}), 'order-' || (n / 3),
            case when n % 1000 = 7 then null else 'mid_stock_' || (n % 90) end,
            ${madeAt(delivered)}
       from ${numbers(delivered)} order by n`,
    `insert into attempt (delivery_seq, number, started_at, duration_ms, outcome, status_code, failure_code,
                          reply_excerpt, signature_timestamp, signature_token, url, body_form,
                          user_agent, key_id, key_fingerprint)
     select seq, 1, accepted_at + 2, 12,
            case when ${GIVEN_UP} then 'failed' else 'delivered' end, ${STATUS}, ${FAILURE}, 'ok', accepted_at / 1000,
            'abcdefghijabcdefghijabcdefghijabcdefghijabcdefghij', 'https://midoffice.example/hook',
            'data', 'Bellhop/1.0.0', '1000000001', 'abcdefgh'
       from delivery where midoffice_id is not null order by seq`,
    `insert into given_up (seq, midoffice_id, partner_id, state, at, why, last_result)
     select seq, midoffice_id, partner_id, case when seq % 2 = 0 then 'exhausted' else 'cancelled' end,
            accepted_at + 20, null, case when seq % 4 < 2 then 'timeout' else '404' end
       from delivery where midoffice_id is not null and ${GIVEN_UP}`,
    `insert into last_attempt (midoffice_id, delivery_seq, number, started_at)
     select midoffice_id, max(seq), 1, max(accepted_at) from delivery
      where midoffice_id is not null group by midoffice_id`,
    `insert into minute_stat (minute, delivered, failed_attempts, exhausted)
     select ${nowMs - (nowMs % 60_000)} - ${engine === 'postgres' ? 'n::bigint' : 'n'} * 60000, 90, 9, 1 from ${numbers(8 * 1_440)}`,
    `insert into api_key (key_id, partner_id, sealed_key, digest, disabled, grant_set, created_at)
     select ${engine === 'postgres' ? '(2000000000 + n::bigint)::text' : 'cast(2000000000 + n as text)'}, 'par_stock_' || (1 + n % ${partners}), sealed_key, digest, 0, grant_set,
            ${madeAt(keys)}
       from (select * from api_key limit 1) as first cross join ${numbers(keys)}`,
    `insert into audit (id, at, actor, action, subject, before, after)
     select 'aud_stock_' || n, ${madeAt(audit)},
            case when n = 1 then '${STOCKED.quietActor} (tok_zoe)' else '${STOCKED.actor} (tok_' || (n % 10) || ')' end,
            case when n = 1 then '${STOCKED.rareAction}' when n % 2 = 0 then '${STOCKED.action}' else 'partner.update' end,
            'par_stock_' || (1 + n % ${partners}), '{"name":"Before"}', '{"name":"After"}'
       from ${numbers(audit)}`,
    // As many as there are entries of the audit, each with a mail, of which one in a thousand was given up.
    `insert into notice (id, partner_id, kind, cause, at, facts, queued_at)
     select ${noticeId}, 'par_stock_' || (1 + n % ${partners}),
            case when n = 1 then '${STOCKED.rareNotice}' else 'limit_reached' end, 'cause ' || n, ${madeAt(audit)},
            '{"midoffice_id":"${STOCKED.midoffice}","host":"a.example","by":"support","key_id":"1","endpoint":"","percent":80}', 1
       from ${numbers(audit)}`,
    `insert into mail (id, partner_id, notice_id, recipient, created_at, tries, sent_at)
     select 'mai_stock_' || n, 'par_stock_' || (1 + n % ${partners}), ${noticeId}, 'ann@partner.example',
            ${madeAt(audit)}, 1, case when n % 1000 = 1 then null else 1 end
       from ${numbers(audit)}`,
  ];
}
