/** The store's rows as the worker's stages; the same for both engines. */
import type { BodyForm, EventType } from '@bellhop/partner';
import type { LaneState } from './delivery-store.ts';
import type { Claimed, SigningKey } from './stages.ts';

export interface ClaimedRow {
  seq: number;
  lease: string;
  midoffice_id: string;
  event_id: string;
  type: string;
  partner_order_id: string;
  agreement_number: string | null;
  status: string | null;
  ordered: number;
  attempts_made: number;
  retries_used: number;
  scheduled_at: number | null;
  last_key: string | null;
}

export function toClaimed(row: ClaimedRow): Claimed {
  return {
    seq: row.seq,
    lease: row.lease,
    midofficeId: row.midoffice_id,
    eventId: row.event_id,
    event: {
      type: row.type as EventType,
      partnerOrderId: row.partner_order_id,
      ...(row.agreement_number !== null && { agreementNumber: row.agreement_number }),
      ...(row.status !== null && { status: row.status }),
    },
    ordered: row.ordered === 1,
    attemptNumber: row.attempts_made + 1,
    retriesUsed: row.retries_used,
    scheduledAtMs: row.scheduled_at,
    lastKey: row.last_key,
  };
}

export interface LaneRow {
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
  previous_sealed_key: string | null;
  previous_digest: string | null;
  previous_until: number | null;
  worked_key: string | null;
  next_due_at: number | null;
}

export const LANE_COLUMNS = `
  m.id, m.url, m.body_form, m.delivery_order, m.max_in_flight, m.paused, m.failing_since,
  m.worked_key, k.key_id, k.sealed_key, k.digest, k.previous_sealed_key, k.previous_digest,
  k.previous_until`;

export const LANE_TABLES = 'from midoffice m join api_key k on k.key_id = m.signing_key_id';

export function toLane(row: LaneRow): LaneState {
  return {
    config: {
      midofficeId: row.id,
      url: row.url,
      bodyForm: row.body_form as BodyForm,
      ordered: row.delivery_order === 'per_order',
      maxInFlight: row.max_in_flight,
      paused: row.paused === 1,
      failingSinceMs: row.failing_since,
      signingKey: signingKeyOf(row),
      workedKey: row.worked_key,
    },
    nextDueAtMs: row.next_due_at,
  };
}

function signingKeyOf(row: LaneRow): SigningKey {
  const { previous_sealed_key, previous_digest, previous_until } = row;
  const hasPrevious =
    previous_sealed_key !== null && previous_digest !== null && previous_until !== null;
  return {
    keyId: row.key_id,
    current: { sealed: row.sealed_key, fingerprint: fingerprintOf(row.digest) },
    previous: hasPrevious
      ? {
          sealed: previous_sealed_key,
          fingerprint: fingerprintOf(previous_digest),
          untilMs: previous_until,
        }
      : null,
  };
}

/** Tells the values of one key apart; made of the keyed digest, so it says nothing about them. */
function fingerprintOf(digest: string): string {
  return digest.slice(0, 12);
}
