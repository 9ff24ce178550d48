/** Turns the queue's rows into the worker's stages; the same for both engines. */

import { type PreviousKeyColumns, previousKeysOf } from '../../base/sealing/previous-keys.ts';
import { fingerprintOf } from '../../base/sealing/sealed-key.ts';
import { type LaneRequest, type LaneWork, shardOf } from '../../delivery/queue.ts';
import type { Due, LaneConfig, SigningKey } from '../../delivery/stages.ts';

/**
 * Support may queue a delivery again at the moment an attempt is recorded. The number in such a row (one
 * with `asked_at`) may then be too low, so it is read from the attempts. The same on both engines.
 */
const ATTEMPTS_MADE = `case when p.asked_at is null then p.attempts_made else
  coalesce((select max(a.number) from attempt a where a.delivery_seq = p.seq), 0) end`;

/** What `splitDueRows` reads, of `pending p join delivery d`. `blocked`: whether an earlier event of the order is pending. */
export function dueColumns(blocked: string): string {
  return `p.due_at, ${blocked}, p.seq, p.midoffice_id, p.order_key, ${ATTEMPTS_MADE}, p.retries_used,
    p.scheduled_at, p.asked_at, p.last_key, d.event_id, d.type, d.partner_id, d.partner_order_id,
    d.agreement_number, d.status, d.trace_context`;
}

/** A list, because SQLite's rows as objects have no common shape: to make a `Due` of one and use it took 11 µs, not 2. */
export type DueRow = readonly [
  due_at: number,
  blocked: 0 | 1 | boolean,
  seq: number,
  midoffice_id: string,
  order_key: string | null,
  attempts_made: number,
  retries_used: number,
  scheduled_at: number | null,
  asked_at: number | null,
  last_key: string | null,
  event_id: string,
  type: Due['type'],
  partner_id: string,
  partner_order_id: string,
  agreement_number: string | null,
  status: string | null,
  trace_context: string | null,
  // An engine may read more.
  ...more: unknown[],
];

/** Splits the rows that are due first in a lane into work for the lane and rows to park. */
export function splitDueRows(
  { midofficeId, shard, epoch, limit }: LaneRequest,
  rows: readonly DueRow[],
  nowMs: number,
): { work: LaneWork; blocked: number[] } {
  const due: Due[] = [];
  const blocked: number[] = [];
  for (const row of rows) {
    const [due_at, isBlocked, seq] = row;
    if (due_at > nowMs) return { work: { midofficeId, due, nextDueAtMs: due_at }, blocked };
    if (isBlocked) blocked.push(seq);
    else due.push(dueOf(row, shard, epoch));
  }
  // As many as requested, so there may be more.
  const nextDueAtMs = rows.length === limit ? nowMs : null;
  return { work: { midofficeId, due, nextDueAtMs }, blocked };
}

function dueOf(row: DueRow, shard: number, epoch: number): Due {
  return {
    seq: row[2],
    midoffice_id: row[3],
    shard,
    epoch,
    order_key: row[4],
    attempts_made: row[5],
    retries_used: row[6],
    scheduled_at: row[7],
    asked_at: row[8],
    last_key: row[9],
    event_id: row[10],
    type: row[11],
    partner_id: row[12],
    partner_order_id: row[13],
    agreement_number: row[14],
    status: row[15],
    trace_context: row[16],
  };
}

/** Partner ids contain no space, so two orders never share a key. */
export function orderKeyOf(row: { partner_id: string; partner_order_id: string }): string {
  return `${row.partner_id} ${row.partner_order_id}`;
}

export interface LaneRow
  extends Omit<LaneConfig, 'shard' | 'ordered' | 'restating' | 'paused' | 'signingKey'>,
    PreviousKeyColumns {
  delivery_order: string;
  restating: number;
  paused: number;
  key_id: string;
  sealed_key: string;
  digest: string;
}

export const LANES = `
  select m.id as midoffice_id, m.url, m.body_form, m.delivery_order, m.max_in_flight, m.max_per_second, m.headers,
  m.client_certificate, m.paused, m.failing_since, m.worked_key, k.key_id, k.sealed_key, k.digest, k.previous_sealed_key, k.previous_digest,
  k.previous_until, k.earlier_keys,
  case when exists (select 1 from restating r where r.midoffice_id = m.id) then 1 else 0 end as restating
    from midoffice m join api_key k on k.key_id = m.signing_key_id`;

export function toLane(row: LaneRow): LaneConfig {
  const { midoffice_id, url, body_form, max_in_flight, max_per_second, headers } = row;
  const { client_certificate, failing_since, worked_key } = row;
  return {
    midoffice_id,
    shard: shardOf(midoffice_id),
    url,
    body_form,
    ordered: row.delivery_order === 'per_order',
    restating: row.restating === 1,
    max_in_flight,
    max_per_second,
    headers,
    client_certificate,
    paused: row.paused === 1,
    failing_since,
    signingKey: signingKeyOf(row),
    worked_key,
  };
}

function signingKeyOf(row: LaneRow): SigningKey {
  return {
    key_id: row.key_id,
    current: { sealed: row.sealed_key, fingerprint: fingerprintOf(row.sealed_key, row.digest) },
    previous: previousKeysOf(row).map(({ sealed, digest, untilMs }) => {
      return { sealed, fingerprint: fingerprintOf(sealed, digest), untilMs };
    }),
  };
}
