/** What the support API gives and takes, in its own field names. Times are ISO 8601 in UTC. */

export type Environment = 'production' | 'sandbox';
export type Role = 'viewer' | 'support' | 'admin' | 'orders';

export interface Session {
  name: string;
  role: Role;
  environments: Environment[];
}

export interface Page<T> {
  items: T[];
  next_cursor: string | null;
}

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

export type NewPartner = Pick<Partner, 'name' | 'integration_started_on' | 'is_new'>;
export type PartnerChanges = Partial<Pick<Partner, 'name' | 'suspended' | 'midoffice_id'>>;

export interface Key {
  key_id: string;
  partner_id: string;
  label: string | null;
  disabled: boolean;
  expires_at: string | null;
  allowed_ips: string[] | null;
  previous_key_valid_until: string | null;
  revoked_at: string | null;
  created_at: string;
}

export interface KeyWithSecret extends Key {
  api_key: string;
}

export type KeyChanges = Partial<Pick<Key, 'label' | 'disabled' | 'expires_at' | 'allowed_ips'>>;

export interface Grant {
  endpoint: string;
  is_active: boolean;
  is_debug_mode: boolean;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
}

export interface GrantInput extends Grant {
  approval_reference?: string;
}

export interface GrantWithWarnings extends Grant {
  warnings: { code: string; detail: string }[];
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

export type BodyForm = 'data' | 'flat' | 'both';
export type DeliveryOrder = 'any' | 'per_order';

export interface Midoffice {
  id: string;
  name: string;
  url: string;
  signing_key_id: string;
  body_form: BodyForm;
  delivery_order: DeliveryOrder;
  max_in_flight: number;
  paused: boolean;
  failing_since: string | null;
  created_at: string;
  /** The three below only where one midoffice is shown. */
  pending?: number;
  oldest_pending_at?: string | null;
  last_attempt?: (Attempt & { delivery_id: string }) | null;
}

export type NewMidoffice = Pick<
  Midoffice,
  'name' | 'url' | 'signing_key_id' | 'body_form' | 'delivery_order' | 'max_in_flight'
>;
export type MidofficeChanges = Partial<NewMidoffice & Pick<Midoffice, 'paused'>>;

export type ReceiverCheck = { ok: true; url: string } | { ok: false; detail: string };

/** What playing the service against a receiver found; not the check of a URL above. */
export interface ReceiverCertification {
  url: string;
  form: BodyForm;
  started_at: string;
  duration_ms: number;
  verdict: 'passed' | 'failed';
  passed: number;
  failed: number;
  skipped: number;
  lines: ReceiverLine[];
}

export interface ReceiverLine {
  name: string;
  group: 'accepts' | 'refuses' | 'survives' | 'replies';
  title: string;
  outcome: 'passed' | 'failed' | 'skipped';
  sent: string;
  expected: string;
  got: string;
  why: string;
  fix: string;
}

export interface RecoveryInput {
  since: string;
  until?: string;
  dry_run?: boolean;
  limit?: number;
}

export interface Recovered {
  requeued: number;
  remaining?: number;
}

export interface Attempt {
  number: number;
  started_at: string;
  duration_ms: number;
  outcome: string;
  status_code: number | null;
  reply_excerpt: string | null;
  error: string | null;
  failure_code: string | null;
  signature_timestamp: number;
  signature_token: string;
  request?: { url?: string; headers: Record<string, string>; body: string } | null;
}

export type DeliveryState = 'pending' | 'delivered' | 'exhausted' | 'cancelled' | 'unrouted';
export type EventType = 'created' | 'updated' | 'cancelled';

export interface Delivery {
  id: string;
  event_id: string;
  type: EventType;
  partner_id: string;
  partner_order_id: string;
  agreement_number: string | null;
  status: string | null;
  /** Null while it is unrouted. */
  midoffice_id: string | null;
  state: DeliveryState;
  in_flight: boolean;
  attempts_made: number;
  next_attempt_at: string | null;
  accepted_at: string;
  settled_at: string | null;
}

export interface DeliveryWithAttempts extends Delivery {
  attempts: Attempt[];
  future_attempts?: string[];
  why?: string | null;
}

export interface AuditEntry {
  id: string;
  at: string;
  actor: string;
  action: string;
  subject: string;
  before: unknown;
  after: unknown;
}

export type Span = 'hour' | 'day' | 'week';

export interface Bucket {
  at: string;
  delivered: number;
  failed_attempts: number;
  exhausted: number;
}

export interface Stats {
  span: Span;
  from: string;
  to: string;
  step_seconds: number;
  buckets: Bucket[];
  pending: number;
  oldest_pending_at: string | null;
  in_flight: number;
  /** 0 to 1; null when nothing was attempted. */
  success_rate: number | null;
  failing_midoffices: {
    id: string;
    name: string;
    failing_since: string;
    pending: number;
    last_error: string | null;
  }[];
  /** Refused in the last hour, whatever the span. */
  limited_keys: { key_id: string; label: string | null; partner_name: string; refused: number }[];
  recent_changes: AuditEntry[];
}

export interface Found {
  kind: 'partner' | 'key' | 'midoffice' | 'delivery';
  id: string;
  title: string;
  detail: string;
}

export interface Token {
  id: string;
  name: string;
  role: Role;
  created_at: string;
}

export interface TokenWithSecret extends Token {
  token: string;
}
