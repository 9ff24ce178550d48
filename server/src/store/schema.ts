/**
 * The tables, as both engines have them. To be the same in both: flags are 0 and 1, times are
 * milliseconds since 1970, JSON is text.
 */
import type { BodyForm } from '@bellhop/partner';
import type { Generated } from 'kysely';
import type { AttemptFailure } from '../delivery/stages.ts';

export interface Schema {
  meta: { name: string; value: string };
  partner: PartnerRow;
  api_key: ApiKeyRow;
  grant_set: { id: string; grants: string };
  token: TokenRow;
  audit: AuditRow;
  midoffice: MidofficeRow;
  delivery: DeliveryRow;
  pending: PendingRow;
  given_up: GivenUpRow;
  shard: ShardRow;
  delivery_node: DeliveryNodeRow;
  attempt: AttemptRow;
  session: SessionRow;
  minute_stat: MinuteStatRow;
  last_attempt: LastAttemptRow;
  key_change: { seq: Generated<number>; key_id: string; at: number };
  admission: {
    seq: Generated<number>;
    key_id: string;
    endpoint: string;
    at_ms: number;
    keep_until_ms: number;
  };
}

export interface PartnerRow {
  id: string;
  name: string;
  integration_started_on: string;
  is_new: number;
  suspended: number;
  certified_at: number | null;
  certification_reference: string | null;
  midoffice_id: string | null;
  created_at: number;
}

export interface ApiKeyRow {
  key_id: string;
  partner_id: string;
  label: string | null;
  sealed_key: string;
  digest: string;
  /** The key before the last rotation, while it still works. */
  previous_sealed_key: string | null;
  previous_digest: string | null;
  previous_until: number | null;
  /** JSON array of addresses and CIDRs; null lets every address in. */
  allowed_ips: string | null;
  disabled: number;
  expires_at: number | null;
  revoked_at: number | null;
  grant_set: string;
  created_at: number;
}

export interface TokenRow {
  id: string;
  name: string;
  role: string;
  digest: string;
  created_at: number;
  revoked_at: number | null;
}

export interface AuditRow {
  id: string;
  at: number;
  actor: string;
  action: string;
  subject: string;
  before: string | null;
  after: string | null;
}

export interface MidofficeRow {
  id: string;
  name: string;
  url: string;
  signing_key_id: string;
  body_form: string;
  delivery_order: string;
  max_in_flight: number;
  paused: number;
  /** Since when every attempt has failed; null after a delivery. */
  failing_since: number | null;
  /** When people were told of it. */
  alerted_at: number | null;
  /** The fingerprint of the key that signed what its receiver last took. */
  worked_key: string | null;
  /** When a node set about telling people; void after a while, in case it did not come to it. */
  alert_claimed_at: number | null;
  created_at: number;
}

/** An accepted order event. What is still to be done about it is in `pending`. */
export interface DeliveryRow {
  /** The order in which events were accepted; `del_<seq>` outside. */
  seq: Generated<number>;
  event_id: string;
  type: string;
  partner_id: string;
  partner_order_id: string;
  agreement_number: string | null;
  status: string | null;
  /** As the event asked; null if it left the choice to the partner's midoffice. */
  asked_midoffice_id: string | null;
  /** Null while it is unrouted: there was no midoffice to deliver it to. */
  midoffice_id: string | null;
  accepted_at: number;
}

/** A delivery that needs another attempt. Only store/queue/ and the engines' queues know it. */
export interface PendingRow {
  seq: number;
  shard: number;
  midoffice_id: string;
  /** Partner and order, where the midoffice delivers per order. */
  order_key: string | null;
  /** Null: parked behind an earlier event of its order. */
  due_at: number | null;
  /** Steps of the retry schedule that are used up; a replay begins again at 0. */
  retries_used: number;
  attempts_made: number;
  /** While an attempt by hand goes ahead of the schedule's own: when that one is due. */
  scheduled_at: number | null;
  /** When support last asked for an attempt. */
  asked_at: number | null;
  /** The fingerprint of the key that signed the body of the last attempt. */
  last_key: string | null;
}

export interface GivenUpRow {
  seq: number;
  midoffice_id: string;
  state: 'exhausted' | 'cancelled';
  at: number;
  /** The failure code of the last attempt of an exhausted one. */
  why: string | null;
}

/** Who delivers to the midoffices of this shard, until when on the database's clock. */
export interface ShardRow {
  n: number;
  node: string | null;
  epoch: number;
  until: number;
  /** At the last renewal; for people. */
  in_flight: number;
}

export interface DeliveryNodeRow {
  id: string;
  host: string;
  since: number;
  until: number;
}

export interface AttemptRow {
  delivery_seq: number;
  number: number;
  started_at: number;
  duration_ms: number;
  outcome: string;
  status_code: number | null;
  reply_excerpt: string | null;
  error: string | null;
  signature_timestamp: number;
  signature_token: string;
  /** Null when delivered. This and what follows is also null in attempts of before 0005. */
  failure_code: AttemptFailure | null;
  url: string | null;
  body_form: BodyForm | null;
  user_agent: string | null;
  key_id: string | null;
  key_fingerprint: string | null;
}

/** A browser that is signed in to the console. */
export interface SessionRow {
  /** Of the random id in the cookie. */
  digest: string;
  /** Of the token that it was opened with; when that is replaced or deleted, the session ends. */
  token_digest: string;
  created_at: number;
  /** To within a minute. */
  used_at: number;
}

export interface MinuteStatRow {
  /** Its beginning, in milliseconds since 1970. */
  minute: number;
  delivered: number;
  failed_attempts: number;
  exhausted: number;
}

/** Where to find the latest attempt for a midoffice. */
export interface LastAttemptRow {
  midoffice_id: string;
  delivery_seq: number;
  number: number;
  started_at: number;
}
