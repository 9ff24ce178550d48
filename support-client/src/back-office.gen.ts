/** Generated from docs/openapi/back-office.json by `npm run openapi`. Do not edit it. */

export interface FieldError {
  /** The line of an import. */
  line?: number;
  /** A JSON pointer into the body or the line, or the name of a query parameter. Empty for the whole line. */
  field: string;
  detail: string;
}

/** A problem as RFC 9457 has it. Programs should look at `code`. */
export interface Problem {
  type: string;
  /** What the code means, always the same. */
  title: string;
  status: number;
  /** Stable; never changes its meaning. */
  code: string;
  /** What is wrong with this request, for people. */
  detail: string;
  /** The fields at fault, where there are any; at most 20 of them, and 100 of an import. */
  errors?: FieldError[];
}

export interface Acknowledgement {
  /** Why. Kept in the audit. */
  reason?: string;
}

export interface Activity {
  id: string;
  at: string;
  kind: ActivityKind;
  /** The id of what it is about. */
  subject: string;
  actor: string | null;
  action: string | null;
  before: unknown;
  after: unknown;
  /** Of a change: what was done, as it goes on after the actor. */
  sentence: string | null;
  /** As the sentence names the subject. */
  subject_name: string | null;
  /** See `AuditEntry`. */
  can_revert: boolean;
  /** Of a note. */
  text: string | null;
  state: TroubledState | null;
  /** How many webhooks, among the newest 1,000 of the partner. */
  count: number | null;
  /** The orders of the newest of these webhooks, at most 3. */
  orders: string[];
}

/** `change`: an entry of the audit. `note`: a note. `webhooks`: webhooks of one hour that did not arrive. */
export type ActivityKind = 'change' | 'note' | 'webhooks';

export interface ActivityPage {
  items: Activity[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface ApiKeyInForce {
  /** It is that of the last rotation. */
  is_current: boolean;
  /** The end of its overlap or of the key, whichever comes first; null if neither. */
  works_until: string | null;
  /** Its last call since several API keys of this key work, at most 10 seconds late; null if there was none, or if it is the only one that works. */
  last_used_at: string | null;
}

export interface ApiKeyInForceList {
  items: ApiKeyInForce[];
  /** Always null here. */
  next_cursor: string | null;
}

/** Why an attempt failed, for programs. */
export type AttemptFailure =
  | 'status'
  | 'timeout'
  | 'unfinished_reply'
  | 'connect_timeout'
  | 'dns'
  | 'blocked_address'
  | 'plain_http'
  | 'reserved_port'
  | 'bad_url'
  | 'connection_refused'
  | 'connection_reset'
  | 'connection_reused'
  | 'unreachable'
  | 'tls'
  | 'tls_closed'
  | 'no_tls'
  | 'https_only'
  | 'certificate_self_signed'
  | 'certificate_untrusted'
  | 'certificate_expired'
  | 'certificate_not_yet_valid'
  | 'certificate_wrong_name'
  | 'http2_only'
  | 'protocol'
  | 'proxy_unreachable'
  | 'proxy_refused'
  | 'proxy_timeout'
  | 'proxy_protocol'
  | 'aborted'
  | 'unknown'
  | 'signing';

export type AttemptOutcome = 'delivered' | 'failed';

export interface AttemptWithRequest {
  number: number;
  started_at: string;
  duration_ms: number;
  outcome: AttemptOutcome;
  /** Also of a reply that was never finished, so a failed attempt can have 200. Null if no reply began. */
  status_code: number | null;
  /** The first 4 KiB of the reply, as far as it arrived. Invalid UTF-8, control characters other than tabs and line breaks, and bidirectional controls are replaced with U+FFFD. */
  reply_excerpt: string | null;
  error: string | null;
  failure_code: AttemptFailure | null;
  signature_timestamp: number;
  signature_token: string;
  url: string | null;
  body_form: BodyForm | null;
  user_agent: string | null;
  /** The key that signed it. */
  key_id: string | null;
  /** Tells apart the values that the key had before and after a rotation. */
  key_fingerprint: string | null;
  request: SentRequest | null;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  before: unknown;
  /** Before and after have at most 4 KiB together. `left_out` then says how many bytes of each field are missing: of what is the same on both sides, and of what is too long. */
  after: unknown;
  /** What was done, as a sentence that goes on after the actor. */
  sentence: string;
  /** What was changed, as the sentence names it. */
  subject_name: string;
  /** Whether it is a change that can be undone, unless the record has changed since. See `revertChange`. */
  can_revert: boolean;
}

export interface AuditEntryPage {
  items: AuditEntry[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

/** Where a webhook's body has the fields of the order: under `data`, flat, or both. */
export type BodyForm = 'data' | 'flat' | 'both';

export type BulkAction = 'retry' | 'cancel' | 'acknowledge';

export interface BulkChange {
  action: BulkAction;
  filter: DeliveryFilter;
  /** How many deliveries the filter finds. If it finds another number, nothing changes. */
  expected: number;
  /** Change at most this many of them, the oldest first. */
  limit?: number;
  /** Why. Kept in the audit. */
  reason?: string;
}

export interface BulkChanged {
  /** Less than `expected` if some of them were settled meanwhile, cannot be cancelled because they are settled, cannot be acknowledged because they are not exhausted, or cannot be sent because they and their partner have no midoffice. */
  changed: number;
  /** Only where a limit was given: which were sent, the oldest first, 1000 at most. `ids` of the list of deliveries shows what becomes of them. */
  deliveries?: SentDelivery[];
}

export interface Call {
  /** When the call ended. */
  at: string;
  /** The `X-Request-Id` that the caller got. */
  request_id: string;
  /** The key whose id was given, even if the API key was wrong; null if there is no such key. */
  key_id: string | null;
  partner_id: string | null;
  /** Null if the path is not an endpoint. */
  endpoint: string | null;
  /** The first 200 characters of a path that is not an endpoint. */
  path: string | null;
  /** Null if the request was not valid HTTP. */
  method: string | null;
  /** A code of the partner API, or `upstream_error`, `upstream_broke_off` or `caller_gone`. */
  code: string;
  /** The status of the reply; 499 if none was sent. */
  status: number;
  meaning: string;
  /** What the partner should do. */
  advice: string;
  limit: CallLimit | null;
  /** Where the call came from. */
  address: string;
  /** What the booking core answered; null if it was not asked, or did not answer. */
  upstream_status: number | null;
  /** How long the booking core took to begin its reply. */
  upstream_ms: number | null;
  duration_ms: number;
  /** How many calls of the same kind this one stands for, itself included. */
  sampled_from: number;
  verdict: Verdict;
}

export type CallCode =
  | 'no_auth_header'
  | 'invalid_auth_header'
  | 'incorrect_credentials'
  | 'too_many_failed_logins'
  | 'api_access_disabled'
  | 'not_allowed_host'
  | 'endpoint_not_found'
  | 'endpoint_not_active'
  | 'too_many_calls_in_flight'
  | 'endpoint_exceeded_limit'
  | 'unexpected_method'
  | 'body_too_large'
  | 'upstream_not_configured'
  | 'upstream_unreachable'
  | 'upstream_timeout'
  | 'malformed_request'
  | 'request_timeout'
  | 'headers_too_large'
  | 'unknown'
  | 'upstream_error'
  | 'upstream_broke_off'
  | 'caller_gone';

export interface CallCodeCount {
  /** A code of the partner API, or `upstream_error`, `upstream_broke_off` or `caller_gone`. */
  code: string;
  /** The status of the reply; 499 if none was sent. */
  status: number;
  meaning: string;
  /** What the partner should do. */
  advice: string;
  /** How many calls got this reply. */
  calls: number;
}

export interface CallCodes {
  /** The most frequent first. */
  items: CallCodeCount[];
  /** False if there may be more: only the newest 20,000 lines are counted. */
  is_exact: boolean;
}

export interface CallLimit {
  requests_number: number;
  seconds_number: number;
  /** Calls that were left when this one was answered. */
  remaining: number;
  resets_at: string;
}

export interface CallPage {
  items: Call[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface Cancellation {
  /** Why. Kept in the audit. */
  reason?: string;
}

export interface Case {
  subject: CaseSubject;
  /** The oldest first. */
  items: CaseItem[];
  /** False if there is more of some kind than a case shows; then the oldest are left out. */
  is_complete: boolean;
}

export interface CaseDelivery {
  id: string;
  event_id: string;
  type: EventType;
  state: DeliveryState;
  accepted_at: string;
}

export interface CaseItem {
  at: string;
  kind: CaseKind;
  sentence: string;
  /** The id of what it is about: a delivery, key, midoffice or partner. */
  subject: string | null;
  /** Who did it; for partners `API support` or `your side`. */
  by: string | null;
  /** Of a call. */
  request_id: string | null;
  attempt: number | null;
  /** Where the attempt was sent to. */
  url: string | null;
  /** What the receiver answered, or the call got. */
  status_code: number | null;
  /** The first 200 characters of what the receiver answered. */
  answer: string | null;
}

/** `action`: what somebody did to deliveries. `change`: of the partner, a key or the midoffice. `refused`: a call that was refused or failed. */
export type CaseKind =
  | 'accepted'
  | 'routed'
  | 'unrouted'
  | 'attempt'
  | 'delivered'
  | 'exhausted'
  | 'cancelled'
  | 'action'
  | 'change'
  | 'note'
  | 'refused'
  | 'notice';

export interface CaseSubject {
  kind: CaseSubjectKind;
  /** The order id, or the request id of the call. */
  id: string;
  partner_id: string | null;
  partner_name: string | null;
  /** Of the order, the newest first. */
  deliveries: CaseDelivery[];
  /** Orders of other partners with the same id, each by the id of a delivery. */
  other_cases: string[];
}

export type CaseSubjectKind = 'order' | 'call';

export interface Certification {
  reference: string;
}

export interface ClientCertificate {
  subject: string;
  /** SHA-256 of the certificate. */
  fingerprint: string;
  not_after: string;
}

export interface ConsoleSession {
  name: string;
  role: Role;
  /** Those that this process serves. */
  environments: Environment[];
}

export interface Contact {
  email: string;
  /** The kinds of notices that it gets by mail. */
  notices: NoticeKind[];
  created_at: string;
  /** Null until somebody used the link in the mail to this address. */
  confirmed_at: string | null;
}

export interface Contacts {
  contacts: Contact[];
  /** False if this server sends no mail: then notices are only shown here. */
  sends_mail: boolean;
}

export interface Count {
  /** At most 20000. */
  count: number;
  /** False if there are more. */
  is_exact: boolean;
}

export interface CreatedPortalLink {
  id: string;
  /** Shown only this once; null if it is mailed. Whoever has it can use it, once. */
  url: string | null;
  expires_at: string;
  /** The contact who gets it; only of a link that is mailed. */
  mailed_to?: string;
}

export interface Delivery {
  id: string;
  event_id: string;
  type: EventType;
  partner_id: string;
  partner_name: string | null;
  partner_order_id: string;
  agreement_number: string | null;
  status: string | null;
  /** Null while the event is unrouted, or was cancelled as such. */
  midoffice_id: string | null;
  midoffice_name: string | null;
  state: DeliveryState;
  /** Whether it waits until its midoffice is resumed: it is pending, and the midoffice is paused. */
  paused: boolean;
  /** Whether the node that answers has an attempt of it under way. To be sure, ask the node that delivers to its midoffice (`delivery_node`). */
  in_flight: boolean;
  attempts_made: number;
  /** What the receiver answered to the last attempt; also of a reply that was never finished. */
  last_status_code: number | null;
  last_failure_code: AttemptFailure | null;
  /** Null while an attempt is under way, while its midoffice is paused, while it waits for an earlier event of its order, and once it is settled. */
  next_attempt_at: string | null;
  accepted_at: string;
  settled_at: string | null;
  /** When somebody decided that the exhausted delivery needs no recovery. */
  acknowledged_at: string | null;
}

export interface DeliveryCount {
  count: number;
  by_state: {
    pending: number;
    delivered: number;
    exhausted: number;
    cancelled: number;
    unrouted: number;
  };
  /** Whether there are more than `up_to`, at which the count ends. */
  has_more: boolean;
}

export interface DeliveryFilter {
  state?: DeliveryState;
  only?: RemainingDeliveries;
  midoffice_id?: string;
  partner_id?: string;
  /** The whole order id. */
  partner_order_id?: string;
  /** The beginning of the order id. The list is then in descending order of the ids. */
  partner_order_id_prefix?: string;
  type?: EventType;
  failure_code?: AttemptFailure;
  status_class?: StatusClass;
  since?: string;
  until?: string;
  /** Only these deliveries; all if not given or null. */
  ids?: string[] | null;
}

export interface DeliveryNode {
  id: string;
  host: string;
  since: string;
  /** The shards that it delivers for. */
  shards: number[];
  /** Attempts under way, to within about a second. */
  in_flight: number;
}

export interface DeliveryNodes {
  items: DeliveryNode[];
  /** Always null here. */
  next_cursor: string | null;
  /** Shards that no node delivers for at the moment. */
  unowned: number[];
}

/** `per_order`: the events of one order go out one after another, in the order in which they were accepted. */
export type DeliveryOrder = 'any' | 'per_order';

export interface DeliveryPage {
  items: Delivery[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'exhausted' | 'cancelled' | 'unrouted';

export interface DeliveryWithAttempts {
  id: string;
  event_id: string;
  type: EventType;
  partner_id: string;
  partner_name: string | null;
  partner_order_id: string;
  agreement_number: string | null;
  status: string | null;
  /** Null while the event is unrouted, or was cancelled as such. */
  midoffice_id: string | null;
  midoffice_name: string | null;
  state: DeliveryState;
  /** Whether it waits until its midoffice is resumed: it is pending, and the midoffice is paused. */
  paused: boolean;
  /** Whether the node that answers has an attempt of it under way. To be sure, ask the node that delivers to its midoffice (`delivery_node`). */
  in_flight: boolean;
  attempts_made: number;
  /** What the receiver answered to the last attempt; also of a reply that was never finished. */
  last_status_code: number | null;
  last_failure_code: AttemptFailure | null;
  /** Null while an attempt is under way, while its midoffice is paused, while it waits for an earlier event of its order, and once it is settled. */
  next_attempt_at: string | null;
  accepted_at: string;
  settled_at: string | null;
  /** When somebody decided that the exhausted delivery needs no recovery. */
  acknowledged_at: string | null;
  attempts: AttemptWithRequest[];
  sends_to: SendsTo | null;
  /** When the remaining attempts would come; empty once it is settled, while its midoffice is paused, or while it waits for an earlier event of its order. */
  future_attempts: string[];
  /** Why the last attempt failed, and what to do about it. */
  why: string | null;
}

export interface DryRun {
  effects: Effects;
}

export interface Effects {
  /** Calls of the last hour that were let in and would be refused now, from the usage history, which counts by the hour: those since the beginning of the hour in which this time began. Of an allow-list, all calls of the key, because addresses are not counted. Of a lower limit, those that it would have refused however they were spread over the hour. */
  calls_last_hour: number;
  /** The same of the last 24 hours. */
  calls_last_day: number;
  /** How many keys would be refused something. */
  keys: number;
}

export type EndpointName = string;

/** The environment whose data is meant. */
export type Environment = 'production' | 'sandbox';

/** `queued`: it will be delivered. `duplicate`: it was accepted before. `no_midoffice`: it is kept as unrouted, and can be delivered once its partner has a midoffice. */
export type EventOutcome = 'queued' | 'duplicate' | 'no_midoffice';

export interface EventOutcomes {
  /** In the order of the request. */
  results: {
    event_id: string;
    outcome: EventOutcome;
    /** Of an unrouted event too. */
    delivery_id: string;
  }[];
}

/** What happened to the order. */
export type EventType = 'created' | 'updated' | 'cancelled';

export interface ExhaustedMidoffice {
  id: string;
  name: string;
  exhausted: number;
}

export interface FailingMidoffice {
  id: string;
  name: string;
  failing_since: string;
  pending: number;
  last_error: string | null;
}

export interface Grant {
  endpoint: string;
  is_active: boolean;
  is_debug_mode: boolean;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
}

export interface GrantInput {
  endpoint: EndpointName;
  is_active?: boolean;
  is_debug_mode?: boolean;
  is_limited?: boolean;
  requests_number?: number;
  seconds_number?: number;
  /** Who approved it. In production, a limit that lets more through needs one. Recorded in the audit. */
  approval_reference?: string;
  /** What the approval of a higher limit is based on. Recorded in the audit. */
  expected_sales_volume?: string;
}

export interface GrantList {
  items: Grant[];
  /** Always null here. */
  next_cursor: string | null;
}

export interface GrantWithWarnings {
  endpoint: string;
  is_active: boolean;
  is_debug_mode: boolean;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
  warnings: { code: string; detail: string }[];
}

export interface ImportCounts {
  created: number;
  changed: number;
  unchanged: number;
  skipped: number;
}

export interface ImportReport {
  /** True: nothing was changed. */
  dry_run: boolean;
  lines: number;
  partners: ImportCounts;
  keys: ImportCounts;
  grants: ImportCounts;
  midoffices: ImportCounts;
  /** The first 100 lines that were skipped or imported only in part, and why. */
  skipped_lines: { line: number; reason: string }[];
}

export interface Key {
  key_id: string;
  partner_id: string;
  label: string | null;
  disabled: boolean;
  expires_at: string | null;
  allowed_ips: string[] | null;
  /** When the last of the earlier API keys stops working; null if there is none. May be in the past. */
  previous_key_valid_until: string | null;
  /** When each of the earlier API keys stops working, that of the last rotation first. */
  overlap_ends: string[];
  revoked_at: string | null;
  created_at: string;
  /** The day of its last call, in UTC; null if there was none. */
  last_used_on: string | null;
}

export interface KeyChanges {
  label?: string | null;
  expires_at?: string | null;
  /** Addresses and CIDRs, IPv4 and IPv6, that may use the key; null allows every address. */
  allowed_ips?: string[] | null;
  disabled?: boolean;
}

export interface KeyWithSecret {
  key_id: string;
  /** Shown only this once. A UUID, unless the key was taken over. */
  api_key: string;
  partner_id: string;
  label: string | null;
  disabled: boolean;
  expires_at: string | null;
  allowed_ips: string[] | null;
  /** When the last of the earlier API keys stops working; null if there is none. May be in the past. */
  previous_key_valid_until: string | null;
  /** When each of the earlier API keys stops working, that of the last rotation first. */
  overlap_ends: string[];
  revoked_at: string | null;
  created_at: string;
  /** The day of its last call, in UTC; null if there was none. */
  last_used_on: string | null;
}

export interface LastAttempt {
  delivery_id: string;
  number: number;
  started_at: string;
  duration_ms: number;
  outcome: AttemptOutcome;
  /** Also of a reply that was never finished, so a failed attempt can have 200. Null if no reply began. */
  status_code: number | null;
  /** The first 4 KiB of the reply, as far as it arrived. Invalid UTF-8, control characters other than tabs and line breaks, and bidirectional controls are replaced with U+FFFD. */
  reply_excerpt: string | null;
  error: string | null;
  failure_code: AttemptFailure | null;
  signature_timestamp: number;
  signature_token: string;
  url: string | null;
  body_form: BodyForm | null;
  user_agent: string | null;
  /** The key that signed it. */
  key_id: string | null;
  /** Tells apart the values that the key had before and after a rotation. */
  key_fingerprint: string | null;
}

export interface LastTest {
  at: string;
  actor: string;
  attempt: AttemptWithRequest;
}

export interface LimitAnswer {
  granted: boolean;
  /** Who approved it. In production, a limit that lets more through needs one. Recorded in the audit. */
  approval_reference?: string;
  /** What the partner reads. */
  text?: string;
}

export interface LimitRequest {
  id: string;
  at: string;
  key_id: string;
  endpoint: string;
  requests_number: number;
  seconds_number: number;
  reason: string;
  state: LimitRequestState;
  /** API support's answer. */
  text: string | null;
  answered_at: string | null;
  partner_id: string;
  /** As the audit has the actor. */
  asked_by: string;
  answered_by: string | null;
  approval_reference: string | null;
}

export interface LimitRequestPage {
  items: LimitRequest[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export type LimitRequestState = 'open' | 'granted' | 'refused';

export interface LimitTrial {
  /** Refused, whenever in the hour they came. */
  at_least: number;
  /** Refused, if they came together. */
  at_most: number;
  /** Made, those included that were refused. */
  calls: number;
  /** The hours in which calls may have been refused, oldest first. */
  hours: LimitTrialHour[];
}

export interface LimitTrialHour {
  at: string;
  /** Refused, whenever in the hour they came. */
  at_least: number;
  /** Refused, if they came together. */
  at_most: number;
  /** Made, those included that were refused. */
  calls: number;
}

export interface LimitedKey {
  key_id: string;
  label: string | null;
  partner_name: string;
  /** In this span, by all nodes, from the usage history: from the whole hour in which the span began, of a week from the whole day. It lags by some seconds. */
  refused: number;
}

export interface ListedKey {
  key_id: string;
  partner_id: string;
  label: string | null;
  disabled: boolean;
  expires_at: string | null;
  allowed_ips: string[] | null;
  /** When the last of the earlier API keys stops working; null if there is none. May be in the past. */
  previous_key_valid_until: string | null;
  /** When each of the earlier API keys stops working, that of the last rotation first. */
  overlap_ends: string[];
  revoked_at: string | null;
  created_at: string;
  /** The day of its last call, in UTC; null if there was none. */
  last_used_on: string | null;
  partner_name: string;
}

export interface ListedKeyPage {
  items: ListedKey[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

/** A partner and its midoffice. What waits there and what was given up includes the orders of other partners that share it. */
export interface ListedPartner {
  id: string;
  name: string;
  integration_started_on: string;
  is_new: boolean;
  suspended: boolean;
  certified_at: string | null;
  certification_reference: string | null;
  midoffice_id: string | null;
  created_at: string;
  midoffice_name: string | null;
  midoffice_health: MidofficeHealth | null;
  midoffice_paused: boolean | null;
  /** Deliveries that are neither delivered nor given up, counted up to 10,000. */
  midoffice_pending: number | null;
  /** Exhausted deliveries that nobody has recovered or acknowledged, counted up to 10,000. */
  midoffice_exhausted: number | null;
}

export interface ListedPartnerPage {
  items: ListedPartner[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export type MailState = 'waiting' | 'sent' | 'given_up';

export interface Midoffice {
  id: string;
  name: string;
  url: string;
  signing_key_id: string;
  body_form: BodyForm;
  delivery_order: DeliveryOrder;
  max_in_flight: number;
  max_per_second: number | null;
  /** Headers that go with every webhook, by name. Values are not shown: each is `…`. */
  headers: Record<string, string>;
  client_certificate: ClientCertificate | null;
  paused: boolean;
  failing_since: string | null;
  health: MidofficeHealth;
  /** Deliveries that are neither delivered nor given up, counted up to 10,000. */
  pending: number;
  /** Exhausted deliveries that nobody has recovered or acknowledged, counted up to 10,000. */
  exhausted: number;
  created_at: string;
  warnings: { code: string; detail: string }[];
}

export interface MidofficeChanges {
  name?: string;
  /** Where webhooks are POSTed. */
  url?: string;
  /** The id of the key whose API key signs. */
  signing_key_id?: string;
  body_form?: BodyForm;
  delivery_order?: DeliveryOrder;
  max_in_flight?: number;
  /** How many attempts may begin in any second, 1 to 10,000; null: as many as `max_in_flight` allows. */
  max_per_second?: number | null;
  /** Headers that go with every webhook, by name: all of them, so that one that is left out is removed. The value `…` leaves a header as it is. */
  headers?: Record<string, string>;
  client_certificate?: NewClientCertificate | null;
  paused?: boolean;
}

/** Whether its receiver answers. `untested`: neither a webhook nor a test event was ever sent to it. */
export type MidofficeHealth = 'untested' | 'healthy' | 'failing';

export interface MidofficePage {
  items: Midoffice[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface MidofficeWithState {
  id: string;
  name: string;
  url: string;
  signing_key_id: string;
  body_form: BodyForm;
  delivery_order: DeliveryOrder;
  max_in_flight: number;
  max_per_second: number | null;
  /** Headers that go with every webhook, by name. Values are not shown: each is `…`. */
  headers: Record<string, string>;
  client_certificate: ClientCertificate | null;
  paused: boolean;
  failing_since: string | null;
  health: MidofficeHealth;
  pending: number;
  /** Exhausted deliveries that nobody has recovered or acknowledged, counted up to 10,000. */
  exhausted: number;
  created_at: string;
  warnings: { code: string; detail: string }[];
  /** How many of them wait for the time of their next attempt: neither due, nor in flight, nor behind an earlier event of their order. */
  waiting: number;
  oldest_pending_at: string | null;
  /** When the oldest of the exhausted ones was accepted. */
  oldest_exhausted_at: string | null;
  /** The node that delivers to it; null while there is none. */
  delivery_node: string | null;
  last_attempt: LastAttempt | null;
  last_test: LastTest | null;
}

export interface NewClientCertificate {
  /** The certificate in PEM, followed by its intermediates. */
  certificate: string;
  /** Its private key in PEM, unencrypted. It is stored sealed, and never shown. */
  private_key: string;
}

export interface NewConsoleSession {
  token: string;
}

export interface NewKey {
  label?: string | null;
  expires_at?: string | null;
  /** Addresses and CIDRs, IPv4 and IPv6, that may use the key; null allows every address. */
  allowed_ips?: string[] | null;
  /** A subset of the catalogue, which always includes `overview/`. The whole catalogue if not given or null. */
  endpoints?: EndpointName[] | null;
  /** The id of an existing key to take over; needs `api_key` and the role admin. */
  key_id?: string;
  /** The API key that the partner uses with this `key_id`. */
  api_key?: string;
}

export interface NewMidoffice {
  name: string;
  /** Where webhooks are POSTed. */
  url: string;
  /** The id of the key whose API key signs. */
  signing_key_id: string;
  body_form?: BodyForm;
  delivery_order?: DeliveryOrder;
  max_in_flight?: number;
  /** How many attempts may begin in any second, 1 to 10,000; null: as many as `max_in_flight` allows. */
  max_per_second?: number | null;
  /** Headers that go with every webhook, by name: all of them, so that one that is left out is removed. The value `…` leaves a header as it is. */
  headers?: Record<string, string>;
  client_certificate?: NewClientCertificate | null;
}

export interface NewNote {
  text: string;
}

export interface NewPartner {
  name: string;
  integration_started_on: string;
  /** Whether the partner is new to the API. */
  is_new: boolean;
}

export interface NewPortalLink {
  scopes: PortalScope[];
  /** How long the link can be used; 900 if not given. The session that it opens lasts 12 hours from then. */
  expires_in_seconds?: number;
  /** Where the portal leads people back to, such as your own pages for partners. */
  return_url?: string;
  /** A confirmed contact of the partner, to whom the link is mailed. Then nobody else learns its address, and it lasts at most 86400 seconds. */
  recipient?: string;
}

export interface NewRehearsal {
  /** Where they are sent; the URL of the midoffice if not given. */
  url?: string;
  /** So many of the newest webhooks; 10 if nothing is chosen. It bounds the next two choices as well, which can be combined. */
  newest?: number;
  /** Only the newest webhook of each type. */
  one_of_each_type?: boolean;
  /** Only webhooks of this order; the newest 100 if `newest` is not given. */
  partner_order_id?: string;
  /** These webhooks. The other choices do not count then. */
  delivery_ids?: string[];
}

export interface NewToken {
  name: string;
  role: Role;
  expires_at?: string | null;
}

export interface Note {
  id: string;
  at: string;
  /** The name and id of the token, as in the audit. */
  author: string;
  text: string;
}

export interface NotePage {
  items: Note[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface Notice {
  id: string;
  at: string;
  kind: NoticeKind;
  subject: string;
  text: string;
  partner_id: string;
  partner_name: string;
  /** To the contacts that wanted it; empty if there were none. */
  mails: NoticeMail[];
}

/** `receiver_failing`: Your receiver has accepted no webhook for 15 minutes. Once each time. `receiver_recovered`: Your receiver accepts webhooks again after such a failure. Once each time. `deliveries_exhausted`: A webhook was given up after its last attempt. At most once an hour. `limit_reached`: A key has used 80 % or 100 % of a limit. At most once a day each, for each key and endpoint. `key_expires`: A key expires in 14 days, and in 3 days. `key_rotated`: The API key of a key was replaced. Each time. `url_changed`: Your webhooks go to another URL, or no longer to any. Each time. `signed_in_by_link`: Somebody used a link from API support to sign in here. Each time. `limit_answered`: API support has answered your request for another limit. Each time. */
export type NoticeKind =
  | 'receiver_failing'
  | 'receiver_recovered'
  | 'deliveries_exhausted'
  | 'limit_reached'
  | 'key_expires'
  | 'key_rotated'
  | 'url_changed'
  | 'signed_in_by_link'
  | 'limit_answered';

export interface NoticeMail {
  recipient: string;
  state: MailState;
  tries: number;
  sent_at: string | null;
  /** Why the last try failed. */
  error: string | null;
}

export interface NoticePage {
  items: Notice[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface Onboarding {
  /** The newest key that works. */
  key_id: string | null;
  midoffice_id: string | null;
  steps: OnboardingStep[];
}

export interface OnboardingStep {
  name: OnboardingStepName;
  done: boolean;
  at: string | null;
  /** What was found, or why the step is not done. */
  detail: string | null;
}

export type OnboardingStepName =
  | 'key'
  | 'receiver'
  | 'test_webhook'
  | 'receiver_certified'
  | 'certification';

export type OnlyKeys = 'active' | 'expiring' | 'expired' | 'unused' | 'disabled' | 'revoked';

export type OnlyMidoffices = 'failing' | 'paused' | 'with_exhausted';

export type OnlyPartners = 'suspended' | 'uncertified' | 'without_midoffice';

export interface OrderEvent {
  /** The sender's own id; the same id again means the same event. */
  event_id: string;
  type: EventType;
  /** The id of the partner that made the order. */
  partner_id: string;
  /** The partner's identifier of the booking. */
  partner_order_id: string;
  agreement_number?: string | null;
  status?: string | null;
  /** The id of the midoffice to deliver to; the partner's own if not given. */
  midoffice_id?: string | null;
}

export interface OrderEventBatch {
  events: OrderEvent[];
}

export type OrderEvents = OrderEvent | OrderEventBatch;

export interface Partner {
  id: string;
  name: string;
  integration_started_on: string;
  is_new: boolean;
  suspended: boolean;
  certified_at: string | null;
  certification_reference: string | null;
  midoffice_id: string | null;
  created_at: string;
}

export interface PartnerChanges {
  name?: string;
  suspended?: boolean;
  /** The id of the midoffice that receives its webhooks. */
  midoffice_id?: string | null;
  /** Why. Kept in the audit. */
  reason?: string;
}

export interface PartnerWithWarnings {
  id: string;
  name: string;
  integration_started_on: string;
  is_new: boolean;
  suspended: boolean;
  certified_at: string | null;
  certification_reference: string | null;
  midoffice_id: string | null;
  created_at: string;
  /** About the midoffice; not there if there are none. */
  warnings?: { code: string; detail: string }[];
}

export interface PausedMidoffice {
  id: string;
  name: string;
  pending: number;
}

export interface Person {
  id: string;
  name: string;
  /** Only if the provider has not said that it is unverified. */
  email: string | null;
  /** As of the last sign-in; null if they had none then. */
  role: 'viewer' | 'support' | 'admin' | null;
  /** The OpenID Connect provider. */
  issuer: string;
  /** The provider's id of the person, `sub`. */
  subject: string;
  created_at: string;
  signed_in_at: string;
}

export interface PersonPage {
  items: Person[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface Portal {
  /** Where partners find the portal; null if this process does not serve it and `BELLHOP_PORTAL_URL` is not set. */
  url: string | null;
}

export interface PortalLink {
  id: string;
  state: PortalLinkState;
  /** `read` is always among them. */
  scopes: PortalScope[];
  /** Opens a read-only session for support itself, to see what the partner sees. */
  is_preview: boolean;
  return_url: string | null;
  created_by: string;
  created_at: string;
  expires_at: string;
  used_at: string | null;
  withdrawn_at: string | null;
  mail: NoticeMail | null;
}

export interface PortalLinkPage {
  items: PortalLink[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export type PortalLinkState = 'open' | 'used' | 'expired' | 'withdrawn';

export interface PortalLinkWithUrl {
  id: string;
  /** Shown only this once. Whoever has it can use it, once. */
  url: string;
  expires_at: string;
}

/** What a session of the portal may do. `read`: see everything of the partner. `redeliver`: retry, recover, send what waits, send a test event. `receiver`: change where and how webhooks are sent, check the receiver. `keys`: rotate keys, change labels and allow-lists. `contacts`: change who gets notices. */
export type PortalScope = 'read' | 'redeliver' | 'receiver' | 'keys' | 'contacts';

export interface PortalSession {
  id: string;
  came_by: PortalSessionOrigin;
  link_id: string | null;
  /** The key that signed in; the session ends with it, and with the API key given. */
  key_id: string | null;
  opened_by: string;
  /** `read` is always among them. */
  scopes: PortalScope[];
  /** From where it was opened. */
  address: string;
  created_at: string;
  expires_at: string;
}

/** How the session came about: by a link from support, by a key, or by support that looks as the partner sees it. */
export type PortalSessionOrigin = 'link' | 'key' | 'support';

export interface PortalSessionPage {
  items: PortalSession[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface ReceiverCertification {
  url: string;
  form: BodyForm;
  started_at: string;
  duration_ms: number;
  /** Passed if every line passed or warned. */
  verdict: 'passed' | 'failed';
  passed: number;
  /** Risks that the specification allows. */
  warned: number;
  failed: number;
  skipped: number;
  /** Why the receiver could not be checked, or accepted no webhook: one sentence for all lines. */
  cause: string | null;
  lines: ReceiverLine[];
}

export interface ReceiverCheck {
  ok: boolean;
  /** The normal form: what would be called. */
  url?: string;
  /** Why not, and what to do. */
  detail?: string;
}

export interface ReceiverLine {
  name: string;
  group: 'accepts' | 'refuses' | 'survives' | 'replies';
  /** Completes the sentence "The receiver …". */
  title: string;
  outcome: 'passed' | 'warned' | 'failed' | 'skipped';
  sent: string;
  expected: string;
  /** What came; for a skipped line, why it was skipped. */
  got: string;
  why: string;
  fix: string;
}

export interface ReceiverToCertify {
  form?: BodyForm;
}

export interface ReceiverToCheck {
  url: string;
}

export interface Recovered {
  requeued: number;
  /** Only where a limit was given: which were sent, the oldest first, 1000 at most. `ids` of the list of deliveries shows what becomes of them. */
  deliveries?: SentDelivery[];
  /** Only where a limit was given. */
  remaining?: number;
}

export interface Recovery {
  since: string;
  until?: string;
  /** Only count what would be requeued; nothing changes. */
  dry_run?: boolean;
  /** Requeue at most this many, the oldest first; the reply says how many remain. */
  limit?: number;
}

export interface RehearsalReport {
  url: string;
  form: BodyForm;
  started_at: string;
  duration_ms: number;
  /** Passed if every line passed or warned. */
  verdict: 'passed' | 'failed';
  passed: number;
  /** Risks that the specification allows. */
  warned: number;
  failed: number;
  skipped: number;
  /** Why some webhooks were not sent. */
  cause: string | null;
  timings: RehearsalTimings | null;
  /** One for each webhook, the oldest first. `failed` and `skipped` did not pass. */
  lines: RehearsedWebhook[];
}

/** Of the webhooks that were answered; null if none was. */
export interface RehearsalTimings {
  fastest_ms: number;
  median_ms: number;
  slowest_ms: number;
}

export interface RehearsedWebhook {
  /** The id of the delivery. */
  name: string;
  group: 'accepts' | 'refuses' | 'survives' | 'replies';
  /** Completes the sentence "The receiver …". */
  title: string;
  outcome: 'passed' | 'warned' | 'failed' | 'skipped';
  sent: string;
  expected: string;
  /** What came; for a skipped line, why it was skipped. */
  got: string;
  why: string;
  fix: string;
  status_code: number | null;
  /** Null if it was not sent. */
  duration_ms: number | null;
}

/** `undelivered`: in any state but `delivered`. `unacknowledged`: exhausted, and nobody has recovered or acknowledged it. */
export type RemainingDeliveries = 'undelivered' | 'unacknowledged';

export interface Reversion {
  /** Who approved it. In production, a limit that lets more through needs one. Recorded in the audit. */
  approval_reference?: string;
}

/** `viewer` reads. `support` also changes. `admin` also manages tokens, and imports and exports everything, API keys included. `orders` may only post order events. */
export type Role = 'viewer' | 'support' | 'admin' | 'orders';

export interface Rotation {
  /** How long the API key that is replaced keeps working; one day if not given. Earlier ones keep working until their own overlap ends. At most 4 work beside the new one. */
  overlap_seconds?: number;
  /** Ends the overlaps of earlier rotations now, for example because an API key has leaked. */
  end_overlaps?: boolean;
}

export interface SandboxOffer {
  from: string;
  until: string;
}

export interface SearchHit {
  kind: 'partner' | 'key' | 'midoffice' | 'delivery' | 'call';
  id: string;
  title: string;
  detail: string;
}

export interface SearchResult {
  items: SearchHit[];
}

/** Where it goes when it is sent again: where the webhooks of its partner go now, or to the midoffice that its event names. Null if there is none. */
export interface SendsTo {
  id: string;
  name: string;
}

export interface SentDelivery {
  id: string;
  /** Before this. It grows with the attempt. */
  attempts_made: number;
}

export interface SentPending {
  /** How many were waiting and are due now. */
  sent: number;
  /** Only where a limit was given: which were sent, the oldest first, 1000 at most. `ids` of the list of deliveries shows what becomes of them. */
  deliveries?: SentDelivery[];
}

/** As it was sent, with the signatures masked; null if it is not known. */
export interface SentRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface SignInMethods {
  /** Whether people can sign in at `/console/oidc/sign-in`. Tokens always work. */
  openid_connect: boolean;
}

export interface SignedOut {
  /** Where the browser goes to sign out at the OpenID Connect provider too; null if it need not. */
  continue_at: string | null;
}

export interface Stats {
  span: StatsSpan;
  from: string;
  to: string;
  step_seconds: number;
  buckets: StatsBucket[];
  pending: number;
  oldest_pending_at: string | null;
  in_flight: number;
  /** Share of the attempts in this span that delivered, 0 to 1. */
  success_rate: number | null;
  /** How many midoffices are down, shown or not: nothing but failures for 15 minutes. */
  failing_count: number;
  /** Those that are down, with the most pending deliveries first, at most 20. */
  failing_midoffices: FailingMidoffice[];
  /** How many midoffices have begun to fail within the last 15 minutes, shown or not. */
  unstable_count: number;
  /** Those with the most pending deliveries, at most 20. */
  unstable_midoffices: UnstableMidoffice[];
  /** Those with the most pending deliveries, at most 20. */
  paused_midoffices: PausedMidoffice[];
  /** Exhausted deliveries that nobody has recovered or acknowledged, however old, counted up to 100,000. */
  exhausted: number;
  oldest_exhausted_at: string | null;
  /** Those with the most of them, at most 20. If more midoffices than that have 100 or more, they are the oldest of these. */
  exhausted_midoffices: ExhaustedMidoffice[];
  /** Events that no midoffice was known for, counted up to 1000. */
  unrouted: number;
  /** Those that were refused most, at most 20. Null if reading them took too long. */
  limited_keys: LimitedKey[] | null;
  recent_changes: AuditEntry[];
}

export interface StatsBucket {
  at: string;
  delivered: number;
  failed_attempts: number;
  exhausted: number;
}

/** How far the buckets and the refused calls reach back; an hour if not given. */
export type StatsSpan = 'hour' | 'day' | 'week';

/** How the receiver answered the last attempt. A reply that was never finished counts as `no_answer`. */
export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx' | 'no_answer';

export interface Token {
  id: string;
  name: string;
  role: Role;
  created_at: string;
  expires_at: string | null;
  /** Accurate to a minute, sessions of the console included. */
  last_used_at: string | null;
}

export interface TokenPage {
  items: Token[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface TokenWithSecret {
  id: string;
  name: string;
  role: Role;
  created_at: string;
  expires_at: string | null;
  /** Accurate to a minute, sessions of the console included. */
  last_used_at: string | null;
  /** Shown only this once. */
  token: string;
}

export type TroubledState = 'exhausted' | 'cancelled' | 'unrouted';

export type UnsentMailState = 'waiting' | 'given_up';

export interface UnstableMidoffice {
  id: string;
  name: string;
  failing_since: string;
  pending: number;
  last_error: string | null;
  /** Share of the attempts of the last 15 minutes that failed, 0 to 1, for its newest 100 deliveries. */
  failed_share: number | null;
}

export interface Usage {
  endpoint: string;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
  used: number;
  remaining: number | null;
  resets_at: string | null;
}

export interface UsageHistory {
  /** By time and endpoint. Hours and days without calls are left out. */
  items: UsageHistoryItem[];
}

export interface UsageHistoryItem {
  /** The beginning of the hour or day in UTC. */
  at: string;
  endpoint: string;
  /** Calls that the limit let in. */
  admitted: number;
  /** Calls refused because the limit was used up. */
  refused: number;
  /** Calls that ended with a 5xx status or without a complete reply. */
  failed: number;
  /** The highest share of the limit that was used at once; null if there was no limit. */
  peak_share: number | null;
}

export interface UsageList {
  items: Usage[];
  /** Always null here. */
  next_cursor: string | null;
}

export interface UsagePeak {
  endpoint: string;
  /** The most calls that counted in one window. */
  calls: number;
  /** The highest share of the limit, as the limit was at the time. */
  share: number;
}

export interface UsagePeakList {
  items: UsagePeak[];
  /** Always null here. */
  next_cursor: string | null;
}

export type UsageStep = 'hour' | 'day';

/** What Bellhop knows of the call beyond its code. */
export interface Verdict {
  code: VerdictCode;
  sentence: string;
  facts: VerdictFacts;
}

export type VerdictCode =
  | 'no_credentials'
  | 'unreadable_credentials'
  | 'key_id_unknown'
  | 'key_of_other_environment'
  | 'api_key_replaced'
  | 'api_key_unknown'
  | 'key_revoked'
  | 'key_expired'
  | 'api_key_right'
  | 'too_many_failed_sign_ins'
  | 'key_disabled'
  | 'partner_suspended'
  | 'address_not_allowed'
  | 'path_unknown'
  | 'endpoint_never_granted'
  | 'endpoint_withdrawn'
  | 'endpoint_switched_off'
  | 'limit_used_up'
  | 'no_more_known';

export interface VerdictFacts {
  /** The fingerprint of the API key that came with the call. */
  api_key?: string;
  replaced_at?: string;
  replaced_by?: string;
  overlap_ended_at?: string;
  since?: string;
  /** For partners: `API support` or `your side`. */
  by?: string;
  /** The key id that came with the call. */
  given_key_id?: string;
  environment?: Environment;
  address?: string;
  /** How many addresses and networks the allow-list has now. */
  addresses_allowed?: number;
  /** It is different now. */
  is_over?: boolean;
  /** Of the calls of this key to this endpoint that the limit refused in the same hour. */
  share_of_other_addresses?: number;
}

export interface Operations {
  createPartner: { input: { environment: Environment; body: NewPartner }; reply: Partner };
  listPartners: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        name?: string;
        midoffice_id?: string;
        only?: OnlyPartners;
        sort?: '-created_at' | 'created_at' | 'name' | '-name';
        format?: 'json' | 'csv';
      };
    };
    reply: ListedPartnerPage;
  };
  countPartners: {
    input: {
      environment: Environment;
      query?: { name?: string; midoffice_id?: string; only?: OnlyPartners };
    };
    reply: Count;
  };
  getSandboxOffer: { input: { environment: Environment }; reply: SandboxOffer };
  getPartner: { input: { environment: Environment; id: string }; reply: Partner };
  updatePartner: {
    input: {
      environment: Environment;
      id: string;
      query?: { dry_run?: 'true' | 'false' | '' };
      body: PartnerChanges;
    };
    reply: PartnerWithWarnings | DryRun;
  };
  getOnboarding: { input: { environment: Environment; id: string }; reply: Onboarding };
  listActivity: {
    input: {
      environment: Environment;
      id: string;
      query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' };
    };
    reply: ActivityPage;
  };
  certifyPartner: {
    input: { environment: Environment; id: string; body: Certification };
    reply: Partner;
  };
  getPortal: { input: { environment: Environment }; reply: Portal };
  createPortalLink: {
    input: { environment: Environment; id: string; body: NewPortalLink };
    reply: CreatedPortalLink;
  };
  listPortalLinks: {
    input: {
      environment: Environment;
      id: string;
      query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' };
    };
    reply: PortalLinkPage;
  };
  endPortalLink: {
    input: { environment: Environment; id: string; link_id: string };
    reply: undefined;
  };
  createPortalPreview: {
    input: { environment: Environment; id: string };
    reply: PortalLinkWithUrl;
  };
  listPortalSessions: {
    input: {
      environment: Environment;
      id: string;
      query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' };
    };
    reply: PortalSessionPage;
  };
  endPortalSessions: { input: { environment: Environment; id: string }; reply: undefined };
  endPortalSession: {
    input: { environment: Environment; id: string; session_id: string };
    reply: undefined;
  };
  listNotices: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        partner_id?: string;
        kind?: NoticeKind;
        mail?: UnsentMailState;
        format?: 'json' | 'csv';
      };
    };
    reply: NoticePage;
  };
  getContacts: { input: { environment: Environment; id: string }; reply: Contacts };
  listKeys: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        partner_id?: string;
        only?: OnlyKeys;
        sort?: '-created_at' | 'created_at' | 'expires_at' | '-expires_at' | 'last_used_on' | '-last_used_on';
        format?: 'json' | 'csv';
      };
    };
    reply: ListedKeyPage;
  };
  countKeys: {
    input: { environment: Environment; query?: { partner_id?: string; only?: OnlyKeys } };
    reply: Count;
  };
  getKey: { input: { environment: Environment; key_id: string }; reply: Key };
  updateKey: {
    input: {
      environment: Environment;
      key_id: string;
      query?: { dry_run?: 'true' | 'false' | '' };
      body: KeyChanges;
    };
    reply: Key | DryRun;
  };
  revokeKey: {
    input: { environment: Environment; key_id: string; query?: { reason?: string } };
    reply: undefined;
  };
  listApiKeys: {
    input: { environment: Environment; key_id: string; query?: { format?: 'json' | 'csv' } };
    reply: ApiKeyInForceList;
  };
  rotateKey: {
    input: { environment: Environment; key_id: string; body?: Rotation };
    reply: KeyWithSecret;
  };
  createKey: {
    input: { environment: Environment; id: string; body?: NewKey };
    reply: KeyWithSecret;
  };
  listGrants: {
    input: { environment: Environment; key_id: string; query?: { format?: 'json' | 'csv' } };
    reply: GrantList;
  };
  putGrant: {
    input: {
      environment: Environment;
      key_id: string;
      query?: { dry_run?: 'true' | 'false' | '' };
      body: GrantInput;
    };
    reply: GrantWithWarnings | DryRun;
  };
  deleteGrant: {
    input: {
      environment: Environment;
      key_id: string;
      query: { endpoint: EndpointName; dry_run?: 'true' | 'false' | '' };
    };
    reply: DryRun | undefined;
  };
  getUsage: {
    input: { environment: Environment; key_id: string; query?: { format?: 'json' | 'csv' } };
    reply: UsageList;
  };
  listLimitRequests: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        state?: 'open' | 'granted' | 'refused';
        partner_id?: string;
        format?: 'json' | 'csv';
      };
    };
    reply: LimitRequestPage;
  };
  answerLimitRequest: {
    input: { environment: Environment; id: string; body: LimitAnswer };
    reply: LimitRequest;
  };
  getKeyHistory: {
    input: {
      environment: Environment;
      key_id: string;
      query?: {
        step?: UsageStep;
        since?: string;
        until?: string;
        endpoint?: EndpointName;
        format?: 'json' | 'csv';
      };
    };
    reply: UsageHistory;
  };
  getPartnerHistory: {
    input: {
      environment: Environment;
      id: string;
      query?: {
        step?: UsageStep;
        since?: string;
        until?: string;
        endpoint?: EndpointName;
        format?: 'json' | 'csv';
      };
    };
    reply: UsageHistory;
  };
  tryLimit: {
    input: {
      environment: Environment;
      key_id: string;
      query: { endpoint: EndpointName; requests_number: number; seconds_number: number };
    };
    reply: LimitTrial;
  };
  getKeyPeaks: {
    input: { environment: Environment; key_id: string; query?: { format?: 'json' | 'csv' } };
    reply: UsagePeakList;
  };
  listKeyCalls: {
    input: {
      environment: Environment;
      key_id: string;
      query?: {
        limit?: number;
        cursor?: string;
        request_id?: string;
        code?: CallCode;
        endpoint?: EndpointName;
        address?: string;
        since?: string;
        until?: string;
        format?: 'json' | 'csv';
      };
    };
    reply: CallPage;
  };
  listCalls: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        request_id?: string;
        code?: CallCode;
        endpoint?: EndpointName;
        address?: string;
        since?: string;
        until?: string;
        partner_id?: string;
        format?: 'json' | 'csv';
      };
    };
    reply: CallPage;
  };
  countCalls: {
    input: {
      environment: Environment;
      query?: {
        request_id?: string;
        endpoint?: EndpointName;
        address?: string;
        since?: string;
        until?: string;
        partner_id?: string;
        format?: 'json' | 'csv';
      };
    };
    reply: CallCodes;
  };
  createMidoffice: { input: { environment: Environment; body: NewMidoffice }; reply: Midoffice };
  listMidoffices: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        name?: string;
        only?: OnlyMidoffices;
        sort?: '-created_at' | 'created_at' | 'name' | '-name' | '-id' | 'id';
        format?: 'json' | 'csv';
      };
    };
    reply: MidofficePage;
  };
  countMidoffices: {
    input: { environment: Environment; query?: { name?: string; only?: OnlyMidoffices } };
    reply: Count;
  };
  getMidoffice: { input: { environment: Environment; id: string }; reply: MidofficeWithState };
  updateMidoffice: {
    input: { environment: Environment; id: string; body: MidofficeChanges };
    reply: Midoffice;
  };
  sendTestEvent: { input: { environment: Environment; id: string }; reply: AttemptWithRequest };
  sendPending: {
    input: { environment: Environment; id: string; query?: { limit?: number; after?: string } };
    reply: SentPending;
  };
  recoverMidoffice: {
    input: { environment: Environment; id: string; body: Recovery };
    reply: Recovered;
  };
  checkReceiver: {
    input: { environment: Environment; body: ReceiverToCheck };
    reply: ReceiverCheck;
  };
  certifyReceiver: {
    input: { environment: Environment; id: string; body?: ReceiverToCertify };
    reply: ReceiverCertification;
  };
  rehearse: {
    input: { environment: Environment; id: string; body?: NewRehearsal };
    reply: RehearsalReport;
  };
  listDeliveries: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        state?: DeliveryState;
        only?: RemainingDeliveries;
        midoffice_id?: string;
        partner_id?: string;
        partner_order_id?: string;
        partner_order_id_prefix?: string;
        type?: EventType;
        failure_code?: AttemptFailure;
        status_class?: StatusClass;
        since?: string;
        until?: string;
        ids?: string;
        format?: 'json' | 'csv';
      };
    };
    reply: DeliveryPage;
  };
  countDeliveries: {
    input: {
      environment: Environment;
      query?: {
        state?: DeliveryState;
        only?: RemainingDeliveries;
        midoffice_id?: string;
        partner_id?: string;
        partner_order_id?: string;
        partner_order_id_prefix?: string;
        type?: EventType;
        failure_code?: AttemptFailure;
        status_class?: StatusClass;
        since?: string;
        until?: string;
        up_to?: number;
      };
    };
    reply: DeliveryCount;
  };
  changeDeliveries: { input: { environment: Environment; body: BulkChange }; reply: BulkChanged };
  getDelivery: { input: { environment: Environment; id: string }; reply: DeliveryWithAttempts };
  retryDelivery: { input: { environment: Environment; id: string }; reply: Delivery };
  cancelDelivery: {
    input: { environment: Environment; id: string; body?: Cancellation };
    reply: Delivery;
  };
  acknowledgeDelivery: {
    input: { environment: Environment; id: string; body?: Acknowledgement };
    reply: Delivery;
  };
  fastForwardDelivery: { input: { environment: Environment; id: string }; reply: Delivery };
  listDeliveryNodes: {
    input: { environment: Environment; query?: { format?: 'json' | 'csv' } };
    reply: DeliveryNodes;
  };
  getCase: {
    input: { environment: Environment; id: string; query?: { format?: 'json' | 'csv' } };
    reply: Case;
  };
  listPartnerNotes: {
    input: {
      environment: Environment;
      id: string;
      query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' };
    };
    reply: NotePage;
  };
  addPartnerNote: { input: { environment: Environment; id: string; body: NewNote }; reply: Note };
  listKeyNotes: {
    input: {
      environment: Environment;
      key_id: string;
      query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' };
    };
    reply: NotePage;
  };
  addKeyNote: { input: { environment: Environment; key_id: string; body: NewNote }; reply: Note };
  listMidofficeNotes: {
    input: {
      environment: Environment;
      id: string;
      query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' };
    };
    reply: NotePage;
  };
  addMidofficeNote: { input: { environment: Environment; id: string; body: NewNote }; reply: Note };
  listDeliveryNotes: {
    input: {
      environment: Environment;
      id: string;
      query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' };
    };
    reply: NotePage;
  };
  addDeliveryNote: { input: { environment: Environment; id: string; body: NewNote }; reply: Note };
  exportRecords: {
    input: { environment: Environment; query?: { api_keys?: 'true' | 'false' | '' } };
    reply: unknown;
  };
  listAudit: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        subject?: string;
        actor?: string;
        action?: string;
        since?: string;
        until?: string;
        sort?: '-at' | 'at';
        format?: 'json' | 'csv';
      };
    };
    reply: AuditEntryPage;
  };
  countAudit: {
    input: {
      environment: Environment;
      query?: { subject?: string; actor?: string; action?: string; since?: string; until?: string };
    };
    reply: Count;
  };
  revertChange: {
    input: { environment: Environment; id: string; body?: Reversion };
    reply: AuditEntry;
  };
  listTokens: {
    input: { query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' } };
    reply: TokenPage;
  };
  createToken: { input: { body: NewToken }; reply: TokenWithSecret };
  deleteToken: { input: { query: { id: string } }; reply: undefined };
  deleteTokenById: { input: { id: string }; reply: undefined };
  listPeople: {
    input: { query?: { limit?: number; cursor?: string; format?: 'json' | 'csv' } };
    reply: PersonPage;
  };
  endSessionsOfPerson: { input: { id: string }; reply: undefined };
  getStats: { input: { environment: Environment; query?: { span?: StatsSpan } }; reply: Stats };
  search: {
    input: { environment: Environment; query: { q: string; format?: 'json' | 'csv' } };
    reply: SearchResult;
  };
  getSignInMethods: { input: object; reply: SignInMethods };
  signIn: { input: { body: NewConsoleSession }; reply: ConsoleSession };
  getSession: { input: object; reply: ConsoleSession };
  signOut: { input: object; reply: SignedOut };
  reportOrderEvents: {
    input: { environment: Environment; body: OrderEvents };
    reply: EventOutcomes;
  };
  importRecords: {
    input: {
      environment: Environment;
      query?: { dry_run?: 'true' | 'false' | ''; approval_reference?: string };
    };
    reply: ImportReport;
  };
}
