/**
 * The tables of both engines. To be the same in both, flags are 0 and 1, times are milliseconds since 1970,
 * and JSON is text.
 */

import type { BodyForm } from '@bellhop/partner';
import type { Generated, Kysely } from 'kysely';
import type { AttemptRecord } from '../delivery/attempt.ts';
import type { EventContent } from '../delivery/orders/judge.ts';
import type { GivenUpState } from '../delivery/states.ts';
import type { RecordedCall } from '../gateway/recorded-calls/recorded-call.ts';
import type { StoredNotice } from '../notices/kinds.ts';

/** An environment's database, or a transaction on it. Only store/ builds queries on it. */
export type Database = Kysely<Schema>;

export interface Schema {
  meta: { name: string; value: string };
  partner: PartnerRow;
  api_key: ApiKeyRow;
  grant_set: { id: string; grants: string };
  replaced_api_key: ReplacedApiKeyRow;
  limit_request: LimitRequestRow;
  withdrawn_grant: WithdrawnGrantRow;
  audit: AuditRow;
  audit_partner: AuditPartnerRow;
  note: NoteRow;
  midoffice: MidofficeRow;
  delivery: DeliveryRow;
  pending: PendingRow;
  given_up: GivenUpRow;
  shard: ShardRow;
  delivery_node: DeliveryNodeRow;
  attempt: AttemptRow;
  minute_stat: MinuteStatRow;
  last_attempt: LastAttemptRow;
  usage_hour: UsageRow;
  usage_day: UsageRow;
  recorded_call: RecordedCall;
  api_key_use: ApiKeyUseRow;
  usage_writer: { writer: string; batch: number; at: number };
  test_event: TestEventRow;
  imported_ref: ImportedRefRow;
  portal_link: PortalLinkRow;
  portal_link_token: PortalLinkTokenRow;
  portal_session: PortalSessionRow;
  portal_pace: { partner_id: string; what: string; times: string };
  receiver_wish: PendingUrlRow;
  restating: { midoffice_id: string };
  contact: ContactRow;
  contact_link: ContactLinkRow;
  notice: NoticeRow;
  mail: MailRow;
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
  /** The newest of the API keys from before a rotation, while it still works: previous-keys.ts. */
  previous_sealed_key: string | null;
  previous_digest: string | null;
  previous_until: number | null;
  /** JSON of the older ones, while they still work. */
  earlier_keys: string | null;
  /** JSON array of addresses and CIDRs; null lets every address in. */
  allowed_ips: string | null;
  disabled: number;
  expires_at: number | null;
  revoked_at: number | null;
  grant_set: string;
  created_at: number;
  /** The beginning of the day of its last call, in UTC. */
  last_used_on: number | null;
}

/** When one of the API keys of a key was used last while several worked. */
export interface ApiKeyUseRow {
  key_id: string;
  fingerprint: string;
  at: number;
}

/** An API key from before a rotation. */
export interface ReplacedApiKeyRow {
  key_id: string;
  fingerprint: string;
  replaced_at: number;
  /** As the audit has the actor. */
  replaced_by: string;
  /** The end of its overlap; the same as `replaced_at` if there was none. */
  works_until: number;
}

/** A limit that a partner asks for. */
export interface LimitRequestRow {
  id: string;
  partner_id: string;
  key_id: string;
  endpoint: string;
  requests_number: number;
  seconds_number: number;
  reason: string;
  /** As the audit has the actor. */
  asked_by: string;
  at: number;
  state: 'open' | 'granted' | 'refused';
  answered_at: number | null;
  answered_by: string | null;
  /** What support wrote to the partner. */
  answer: string | null;
  approval_reference: string | null;
}

/** The grant that a key last had for an endpoint that was withdrawn from it. */
export interface WithdrawnGrantRow {
  key_id: string;
  endpoint: string;
  /** JSON. */
  last: string;
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

/** A partner of which an entry of the audit has changed deliveries. */
export interface AuditPartnerRow {
  partner_id: string;
  /** As the entry has it. */
  at: number;
  audit_id: string;
  /** How many. */
  deliveries: number;
}

/** What somebody wrote about a partner, a key, a midoffice or a delivery. Never changed. */
export interface NoteRow {
  id: string;
  /** The id of what it is about. */
  subject: string;
  at: number;
  /** As the audit has the actor. */
  author: string;
  text: string;
}

export interface MidofficeRow {
  id: string;
  name: string;
  url: string;
  signing_key_id: string;
  body_form: BodyForm;
  delivery_order: 'any' | 'per_order';
  max_in_flight: number;
  /** Null: no such limit. */
  max_per_second: number | null;
  /** JSON: its additional headers by name, each value sealed (webhook-headers.ts). */
  headers: string | null;
  /** JSON: the certificate that Bellhop shows to its receiver, and its sealed private key (client-certificate.ts). */
  client_certificate: string | null;
  paused: number;
  /** Since when every attempt has failed; null after a delivery. */
  failing_since: number | null;
  /** When the alert about it was sent. */
  alerted_at: number | null;
  /** The fingerprint of the key that signed the last webhook that its receiver accepted. */
  worked_key: string | null;
  /** When a node began to send the alert. Expires after a while, in case that node crashed. */
  alert_claimed_at: number | null;
  created_at: number;
}

/** An accepted order event. If it needs another attempt, it also has a row in `pending`. */
export interface DeliveryRow extends EventContent {
  /** The order in which events were accepted; shown outside as `del_<seq>`. */
  seq: Generated<number>;
  event_id: string;
  /** Null while the event is unrouted: it has no midoffice to go to. */
  midoffice_id: string | null;
  accepted_at: number;
  /** The trace that its webhooks continue (base/tracing/trace-context.ts, `storedTrace`). */
  trace_context: string | null;
  /** 1 if it was cancelled before it had a midoffice. While it has none, it is not among the unrouted. */
  cancelled_unrouted: number | null;
}

/** A delivery that needs another attempt. Only store/queue/ and the engines' queues use this table. */
export interface PendingRow {
  seq: number;
  shard: number;
  midoffice_id: string;
  /** Partner and order, if the midoffice delivers per order. */
  order_key: string | null;
  /** Null: parked behind an earlier event of its order. */
  due_at: number | null;
  /** Steps of the retry schedule used so far; a replay starts again at 0. */
  retries_used: number;
  attempts_made: number;
  /** While an attempt requested by support comes first: when the scheduled one is due. */
  scheduled_at: number | null;
  /** When support last requested an attempt. */
  asked_at: number | null;
  /** The fingerprint of the key that signed the body of the last attempt. */
  last_key: string | null;
  /** How the last attempt ended (queue/last-result.ts); null before the first. */
  last_result: string | null;
}

export interface GivenUpRow {
  seq: number;
  /** Null if it was cancelled before it had one. */
  midoffice_id: string | null;
  /** Of its delivery. Null only in tests that do not need it. */
  partner_id: string | null;
  state: GivenUpState;
  at: number;
  /** For an exhausted delivery: the failure code of its last attempt. */
  why: string | null;
  /** How the last attempt ended (queue/last-result.ts); null if there was none. */
  last_result: string | null;
  /** When somebody decided that an exhausted delivery needs no recovery. */
  acknowledged_at: number | null;
}

/** Which node delivers to the midoffices of this shard, and until when on the database's clock. */
export interface ShardRow {
  n: number;
  node: string | null;
  epoch: number;
  until: number;
  /** Attempts in flight at the last renewal, to show to people. */
  in_flight: number;
}

export interface DeliveryNodeRow {
  id: string;
  host: string;
  since: number;
  until: number;
}

export interface AttemptRow extends AttemptRecord {
  delivery_seq: number;
}

export interface MinuteStatRow {
  /** Its beginning, in milliseconds since 1970. */
  minute: number;
  delivered: number;
  failed_attempts: number;
  exhausted: number;
}

/** The latest test event of a midoffice. */
export interface TestEventRow {
  midoffice_id: string;
  at: number;
  actor: string;
  outcome: AttemptRecord['outcome'];
  /** The attempt as support sees it, with the request that was sent: JSON. */
  attempt: string;
}

/** What a sender calls a partner or a midoffice that was imported. */
export interface ImportedRefRow {
  kind: 'partner' | 'midoffice';
  ref: string;
  id: string;
}

/** A link with which somebody at a partner signs in to the portal, once. */
export interface PortalLinkRow {
  id: string;
  partner_id: string;
  /** JSON array. */
  scopes: string;
  /** 1 if it shows the portal to support, as the partner sees it. */
  is_preview: number;
  return_url: string | null;
  /** As the audit has the actor. */
  created_by: string;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  /** When support withdrew it. */
  ended_at: number | null;
}

/** What opens a link: a copied one has one token, a mailed one has another for each try to send it. */
export interface PortalLinkTokenRow {
  /** Of the random text in the address. */
  digest: string;
  link_id: string;
}

/** A browser that is signed in to the portal. A session that ends is deleted. */
export interface PortalSessionRow {
  id: string;
  /** Of the random id in the cookie. */
  digest: string;
  partner_id: string;
  /** JSON array. */
  scopes: string;
  came_by: 'link' | 'key' | 'support';
  link_id: string | null;
  /** The key that signed in; the session ends with it. */
  key_id: string | null;
  /** Which of its API keys did: the session ends with that one. */
  key_fingerprint: string | null;
  /** As the audit has the actor: the partner, or who in support looks as the partner sees it. */
  opened_by: string;
  return_url: string | null;
  /** From where it was opened. */
  address: string;
  created_at: number;
  expires_at: number;
}

/** Where a partner wants its webhooks. It counts only after a test webhook was answered there. */
export interface PendingUrlRow {
  midoffice_id: string;
  /** A later change has another id, so an earlier one that is still being tested comes to nothing. */
  id: string;
  url: string;
  /** As the audit has the actor. */
  wished_by: string;
  at: number;
  /** Null while it is tested, or if the process was killed meanwhile. */
  tested_at: number | null;
  /** Why the test failed. */
  failure: string | null;
}

/** Somebody whom a partner wants to be told. */
export interface ContactRow {
  partner_id: string;
  /** In lower case. */
  email: string;
  /** JSON array of the kinds that it wants. */
  notices: string;
  created_at: number;
  /** Until then, it gets nothing but the mail that asks for this. */
  confirmed_at: number | null;
}

/** With it, whoever reads the mails of an address confirms it. */
export interface ContactLinkRow {
  /** Of the random text in the address. */
  digest: string;
  partner_id: string;
  email: string;
  expires_at: number;
}

export interface NoticeRow extends StoredNotice {
  /** When its mails were put into the queue; null before, and where nothing sends mail. */
  queued_at: number | null;
  /** Of a receiver that failed: when its partner was told that it works again. */
  over_at: number | null;
}

export interface MailRow {
  id: string;
  partner_id: string;
  /** A mail without a notice and a link to the portal asks its recipient to confirm the address. */
  notice_id: string | null;
  portal_link_id: string | null;
  recipient: string;
  created_at: number;
  /** When to try next; while a node sends it, when that node has lost it. Null once it is over. */
  due_at: number | null;
  tries: number;
  /** Null if it is not over yet, or was given up. */
  sent_at: number | null;
  last_error: string | null;
  /** Whether the last try failed because of this recipient alone. */
  recipient_refused: number;
}

/** Where to find the latest attempt for a midoffice. */
export interface LastAttemptRow {
  midoffice_id: string;
  delivery_seq: number;
  number: number;
  started_at: number;
}

/** The calls of a key to an endpoint in an hour or on a day, summed over all nodes. */
export interface UsageRow {
  key_id: string;
  /** The beginning of the hour or day in UTC, in milliseconds since 1970. */
  at: number;
  endpoint: string;
  admitted: number;
  refused: number;
  failed: number;
  /** The highest of all nodes; null if the endpoint was never limited in that time. */
  peak_calls: number | null;
  peak_share: number | null;
  /** The minute of the last call. */
  last_at: number | null;
}
