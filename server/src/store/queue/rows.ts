/** Turns the queue's rows into the worker's stages; the same for both engines. */
import type { BodyForm, EventType } from '@bellhop/partner';
import { type LaneRequest, type LaneWork, shardOf } from '../../delivery/queue.ts';
import type { Due, LaneConfig, SigningKey } from '../../delivery/stages.ts';
import { type PreviousKeyColumns, previousKeysOf } from '../../previous-keys.ts';
import { fingerprintOf } from '../../sealed-key.ts';

export interface DueRow {
  seq: number;
  midoffice_id: string;
  order_key: string | null;
  due_at: number;
  retries_used: number;
  attempts_made: number;
  scheduled_at: number | null;
  asked_at: number | null;
  last_key: string | null;
  event_id: string;
  type: string;
  partner_order_id: string;
  agreement_number: string | null;
  status: string | null;
  trace_context: string | null;
  /** 1 if an earlier event of its order is pending. */
  blocked: number;
}

function toDue(row: DueRow, shard: number, epoch: number): Due {
  return {
    seq: row.seq,
    midofficeId: row.midoffice_id,
    shard,
    epoch,
    eventId: row.event_id,
    event: eventOf(row),
    orderKey: row.order_key,
    attemptNumber: row.attempts_made + 1,
    retriesUsed: row.retries_used,
    scheduledAtMs: row.scheduled_at,
    askedAtMs: row.asked_at,
    lastKey: row.last_key,
    trace: row.trace_context,
  };
}

/**
 * Support may queue a delivery again at the moment an attempt is recorded. The number in such a row (one
 * with `asked_at`) may then be too low, so it is read from the attempts. The same on both engines.
 */
export const ATTEMPTS_MADE = `case when p.asked_at is null then p.attempts_made else
  coalesce((select max(a.number) from attempt a where a.delivery_seq = p.seq), 0) end`;

/** Splits the rows that are due first in a lane into work for the lane and rows to park. */
export function splitDueRows(
  { midofficeId, shard, epoch, limit }: LaneRequest,
  rows: readonly DueRow[],
  nowMs: number,
): { work: LaneWork; blocked: number[] } {
  const due: Due[] = [];
  const blocked: number[] = [];
  for (const row of rows) {
    if (row.due_at > nowMs) return { work: { midofficeId, due, nextDueAtMs: row.due_at }, blocked };
    if (row.blocked === 1) blocked.push(row.seq);
    else due.push(toDue(row, shard, epoch));
  }
  // As many as requested, so there may be more.
  const nextDueAtMs = rows.length === limit ? nowMs : null;
  return { work: { midofficeId, due, nextDueAtMs }, blocked };
}

type EventColumns = Pick<DueRow, 'type' | 'partner_order_id' | 'agreement_number' | 'status'>;

function eventOf(row: EventColumns): Due['event'] {
  return {
    type: row.type as EventType,
    partnerOrderId: row.partner_order_id,
    ...(row.agreement_number !== null && { agreementNumber: row.agreement_number }),
    ...(row.status !== null && { status: row.status }),
  };
}

/** Partner ids contain no space, so two orders never share a key. */
export function orderKeyOf(row: { partner_id: string; partner_order_id: string }): string {
  return `${row.partner_id} ${row.partner_order_id}`;
}

/** A row that was just queued, without reading it back. */
export function freshDue(
  row: EventColumns & Pick<DueRow, 'event_id' | 'midoffice_id' | 'order_key' | 'trace_context'>,
  { seq, epoch }: { seq: number; epoch: number },
): Due {
  return {
    seq,
    midofficeId: row.midoffice_id,
    shard: shardOf(row.midoffice_id),
    epoch,
    eventId: row.event_id,
    event: eventOf(row),
    orderKey: row.order_key,
    attemptNumber: 1,
    retriesUsed: 0,
    scheduledAtMs: null,
    askedAtMs: null,
    lastKey: null,
    trace: row.trace_context,
  };
}

export interface LaneRow extends PreviousKeyColumns {
  id: string;
  url: string;
  body_form: string;
  delivery_order: string;
  max_in_flight: number;
  paused: number;
  failing_since: number | null;
  key_id: string;
  sealed_key: string;
  digest: string;
  worked_key: string | null;
}

export const LANES = `
  select m.id, m.url, m.body_form, m.delivery_order, m.max_in_flight, m.paused, m.failing_since,
  m.worked_key, k.key_id, k.sealed_key, k.digest, k.previous_sealed_key, k.previous_digest,
  k.previous_until, k.earlier_keys
    from midoffice m join api_key k on k.key_id = m.signing_key_id`;

export function toLane(row: LaneRow): LaneConfig {
  return {
    midofficeId: row.id,
    shard: shardOf(row.id),
    url: row.url,
    bodyForm: row.body_form as BodyForm,
    ordered: row.delivery_order === 'per_order',
    maxInFlight: row.max_in_flight,
    paused: row.paused === 1,
    failingSinceMs: row.failing_since,
    signingKey: signingKeyOf(row),
    workedKey: row.worked_key,
  };
}

function signingKeyOf(row: LaneRow): SigningKey {
  return {
    keyId: row.key_id,
    current: { sealed: row.sealed_key, fingerprint: fingerprintOf(row.sealed_key, row.digest) },
    previous: previousKeysOf(row).map(({ sealed, digest, untilMs }) => {
      return { sealed, fingerprint: fingerprintOf(sealed, digest), untilMs };
    }),
  };
}
