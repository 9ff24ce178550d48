/** Generated from docs/openapi/portal.json by `npm run openapi`. Do not edit it. */

import type * as BackOffice from './back-office.gen.ts';

export type FieldError = BackOffice.FieldError;
export type Problem = BackOffice.Problem;
export type ApiKeyInForce = BackOffice.ApiKeyInForce;
export type ApiKeyInForceList = BackOffice.ApiKeyInForceList;
export type AttemptFailure = BackOffice.AttemptFailure;
export type AttemptOutcome = BackOffice.AttemptOutcome;
export type BodyForm = BackOffice.BodyForm;
export type CallCode = BackOffice.CallCode;
export type CallCodeCount = BackOffice.CallCodeCount;
export type CallCodes = BackOffice.CallCodes;
export type CallLimit = BackOffice.CallLimit;
export type CaseItem = BackOffice.CaseItem;
export type CaseKind = BackOffice.CaseKind;
export type CaseSubjectKind = BackOffice.CaseSubjectKind;
export type Contact = BackOffice.Contact;
export type Contacts = BackOffice.Contacts;
export type DeliveryOrder = BackOffice.DeliveryOrder;
export type DeliveryState = BackOffice.DeliveryState;
export type EndpointName = BackOffice.EndpointName;
export type Environment = BackOffice.Environment;
export type EventType = BackOffice.EventType;
export type KeyWithSecret = BackOffice.KeyWithSecret;
export type LimitRequestState = BackOffice.LimitRequestState;
export type LimitTrial = BackOffice.LimitTrial;
export type LimitTrialHour = BackOffice.LimitTrialHour;
export type MidofficeHealth = BackOffice.MidofficeHealth;
export type NewRehearsal = BackOffice.NewRehearsal;
export type NoticeKind = BackOffice.NoticeKind;
export type PortalScope = BackOffice.PortalScope;
export type PortalSessionOrigin = BackOffice.PortalSessionOrigin;
export type ReceiverCertification = BackOffice.ReceiverCertification;
export type ReceiverLine = BackOffice.ReceiverLine;
export type ReceiverToCertify = BackOffice.ReceiverToCertify;
export type Recovered = BackOffice.Recovered;
export type RehearsalReport = BackOffice.RehearsalReport;
export type RehearsalTimings = BackOffice.RehearsalTimings;
export type RehearsedWebhook = BackOffice.RehearsedWebhook;
export type Rotation = BackOffice.Rotation;
export type SendsTo = BackOffice.SendsTo;
export type SentDelivery = BackOffice.SentDelivery;
export type SentPending = BackOffice.SentPending;
export type SentRequest = BackOffice.SentRequest;
export type UsageHistory = BackOffice.UsageHistory;
export type UsageHistoryItem = BackOffice.UsageHistoryItem;
export type UsageStep = BackOffice.UsageStep;
export type Verdict = BackOffice.Verdict;
export type VerdictCode = BackOffice.VerdictCode;
export type VerdictFacts = BackOffice.VerdictFacts;

/** People of the partner, in the portal; or API support. */
export type ActivityBy = 'partner' | 'support';

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
  /** The key that signed it; null if it is not one of yours. */
  key_id: string | null;
  /** Tells apart the values that the key had before and after a rotation; null if the key is not one of yours. */
  key_fingerprint: string | null;
  request: SentRequest | null;
}

export interface Case {
  subject: CaseSubject;
  /** The oldest first. */
  items: CaseItem[];
  /** False if there is more of some kind than a case shows; then the oldest are left out. */
  is_complete: boolean;
}

export interface CaseDelivery {
  /** Yours alone, as in `listDeliveries`. */
  id: string;
  event_id: string;
  type: EventType;
  state: DeliveryState;
  accepted_at: string;
}

export interface CaseSubject {
  kind: CaseSubjectKind;
  /** The order id, or the request id of the call. */
  id: string;
  partner_id: string | null;
  partner_name: string | null;
  deliveries: CaseDelivery[];
}

export interface ContactToConfirm {
  /** A mail address without quotes, comments and letters beyond ASCII. Kept in lower case. */
  email: string;
}

export interface Delivery {
  /** Yours alone: API support finds the webhook by it, but has another id for it. */
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

export interface DeliveryPage {
  items: Delivery[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface DeliveryWithAttempts {
  /** Yours alone: API support finds the webhook by it, but has another id for it. */
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

export interface Entrance {
  /** The operator's name for its portal. */
  name: string;
  /** Whether there is an image at /brand/logo. */
  has_logo: boolean;
  environments: EntranceEnvironment[];
}

export interface EntranceEnvironment {
  name: Environment;
  /** Whether this browser is. */
  is_signed_in: boolean;
  /** Whether people can sign in with a key. If not, only with a link from support. */
  takes_keys: boolean;
}

export interface Home {
  midoffice: OwnMidoffice | null;
  exhausted: OwnDeliveryCount;
  /** The newest 5 that are not revoked. */
  keys: HomeKey[];
  refused_lately: RefusedLately | null;
  /** The newest 5. */
  deliveries: Delivery[];
}

export interface HomeKey {
  key: OwnKey;
  /** Those of which some is used now. */
  limits_in_use: Limit[];
  /** The highest share of a limit that was used at once since midnight UTC; null if there was no call. */
  highest_share_today: number | null;
}

export interface KeyCredentials {
  key_id: string;
  api_key: string;
}

export interface Limit {
  endpoint: string;
  is_active: boolean;
  is_debug_mode: boolean;
  is_limited: boolean;
  requests_number: number;
  seconds_number: number;
  used: number;
  /** Null if the endpoint has no limit. */
  remaining: number | null;
  /** When the next call is free if none is left, otherwise when the oldest counted call leaves the window; null if none counts. */
  resets_at: string | null;
}

export interface LimitList {
  items: Limit[];
  /** Always null here. */
  next_cursor: string | null;
}

export interface Me {
  partner: MyPartner;
  environment: Environment;
  /** `read` is always among them. */
  scopes: PortalScope[];
  /** True for support that looks as the partner sees it. Pages say so. */
  is_read_only: boolean;
  came_by: PortalSessionOrigin;
  /** The key that signed in. */
  key_id: string | null;
  /** Where people came from, if the link says so; to lead them back. */
  return_url: string | null;
  signed_in_at: string;
  expires_at: string;
}

export interface MyPartner {
  id: string;
  name: string;
}

export interface NewContact {
  /** A mail address without quotes, comments and letters beyond ASCII. Kept in lower case. */
  email: string;
  /** The kinds of notices that it gets by mail. */
  notices: NoticeKind[];
}

export interface NewContacts {
  contacts: NewContact[];
}

export interface NewLimitRequest {
  /** One of your keys. */
  key_id: string;
  endpoint: EndpointName;
  requests_number: number;
  seconds_number: number;
  reason: string;
}

export interface OwnDeliveryCount {
  count: number;
  /** Whether there are more than 1000, at which the count ends. */
  has_more: boolean;
}

export interface OwnKey {
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
  /** The minute of its last call, as far as usage is kept; null if there was none. */
  last_used_at: string | null;
}

export interface OwnKeyChanges {
  label?: string | null;
  /** Addresses and CIDRs, IPv4 and IPv6, that may use the key; null allows every address. */
  allowed_ips?: string[] | null;
  /** Needed if the new allow-list does not allow the address that you call from. */
  exclude_own_address?: boolean;
}

export interface OwnKeyPage {
  items: OwnKey[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface OwnLastTest {
  at: string;
  outcome: AttemptOutcome;
  status_code: number | null;
  error: string | null;
}

export interface OwnLimitRequest {
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
}

export interface OwnLimitRequestPage {
  items: OwnLimitRequest[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface OwnMidoffice {
  name: string;
  url: string;
  /** The key whose API key signs; null if it is not one of yours. */
  signing_key_id: string | null;
  body_form: BodyForm;
  delivery_order: DeliveryOrder;
  paused: boolean;
  failing_since: string | null;
  health: MidofficeHealth;
  /** Whether other partners work with it too. */
  is_shared: boolean;
  /** Whether you alone work with it, and it signs with a key of yours. If not, only API support can change it and send to it (409 `midoffice_not_own`). */
  is_own: boolean;
  /** Webhooks under way; null if it is shared. */
  pending: number | null;
  /** How many of them wait for the time of their next attempt; null if it is shared. */
  waiting: number | null;
  last_test: OwnLastTest | null;
  url_change: ReceiverWish | null;
}

export interface OwnNotice {
  id: string;
  at: string;
  kind: NoticeKind;
  subject: string;
  text: string;
  /** The page of the portal that helps, after the environment. */
  page: string;
}

export interface OwnNoticePage {
  items: OwnNotice[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface OwnRecovery {
  since: string;
  until?: string;
  /** Only count what would be requeued; nothing changes. */
  dry_run?: boolean;
  /** Requeue at most this many, the oldest first; the reply says how many remain. */
  limit?: number;
  /** How many a dry run has counted. If there are more or fewer now, nothing is requeued (409 `count_changed`). Give `until` as well, so that events which arrive meanwhile do not count. */
  expected?: number;
}

export interface OwnRefusal {
  /** When the call ended. */
  at: string;
  /** The `X-Request-Id` that the caller got. */
  request_id: string;
  /** The key whose id was given, even if the API key was wrong; null if there is no such key. */
  key_id: string | null;
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
  duration_ms: number;
  /** How many calls of the same kind this one stands for, itself included. */
  sampled_from: number;
  verdict: Verdict;
}

export interface OwnRefusalPage {
  items: OwnRefusal[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface PartnerActivity {
  id: string;
  at: string;
  by: ActivityBy;
  /** Such as `key.rotate`. */
  action: string;
  /** The id of what it was done to. */
  subject: string;
  /** What was done, as a sentence that goes on after who did it. */
  sentence: string;
  /** The fields that were changed; null if it was created. */
  before: unknown;
  /** The same afterwards; null if it was removed. */
  after: unknown;
}

export interface PartnerActivityPage {
  items: PartnerActivity[];
  /** Ask for the next page with it; null on the last page. */
  next_cursor: string | null;
}

export interface ReceiverChanges {
  /** Where webhooks are POSTed. */
  url?: string;
  body_form?: BodyForm;
  delivery_order?: DeliveryOrder;
}

export interface ReceiverWish {
  url: string;
  at: string;
  /** Null while it is being tested, or if the test was interrupted. */
  tested_at: string | null;
  /** Why the test failed, and what to do about it. */
  failure: string | null;
}

export interface RefusedLately {
  /** Refused and failed calls of the last 24 hours. */
  calls: number;
  /** The code that most of them got. */
  most_frequent: string;
}

export type RemainingDeliveries = 'undelivered' | 'unacknowledged';

export type StatusClass = '2xx' | '3xx' | '4xx' | '5xx' | 'no_answer';

export interface Operations {
  getMe: { input: { environment: Environment }; reply: Me };
  getHome: { input: { environment: Environment }; reply: Home };
  listKeys: {
    input: { environment: Environment; query?: { limit?: number; cursor?: string } };
    reply: OwnKeyPage;
  };
  getKey: { input: { environment: Environment; key_id: string }; reply: OwnKey };
  updateKey: {
    input: { environment: Environment; key_id: string; body: OwnKeyChanges };
    reply: OwnKey;
  };
  listApiKeys: { input: { environment: Environment; key_id: string }; reply: ApiKeyInForceList };
  getLimits: { input: { environment: Environment; key_id: string }; reply: LimitList };
  getKeyHistory: {
    input: {
      environment: Environment;
      key_id: string;
      query?: { step?: UsageStep; since?: string; until?: string; endpoint?: EndpointName };
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
  listLimitRequests: {
    input: { environment: Environment; query?: { limit?: number; cursor?: string } };
    reply: OwnLimitRequestPage;
  };
  askForLimit: {
    input: { environment: Environment; body: NewLimitRequest };
    reply: OwnLimitRequest;
  };
  rotateKey: {
    input: { environment: Environment; key_id: string; body?: Rotation };
    reply: KeyWithSecret;
  };
  listRefusals: {
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
        key_id?: string;
      };
    };
    reply: OwnRefusalPage;
  };
  countRefusals: {
    input: {
      environment: Environment;
      query?: {
        request_id?: string;
        endpoint?: EndpointName;
        address?: string;
        since?: string;
        until?: string;
        key_id?: string;
      };
    };
    reply: CallCodes;
  };
  getMidoffice: { input: { environment: Environment }; reply: OwnMidoffice };
  updateMidoffice: {
    input: { environment: Environment; body: ReceiverChanges };
    reply: OwnMidoffice;
  };
  sendTestEvent: { input: { environment: Environment }; reply: AttemptWithRequest };
  checkReceiver: {
    input: { environment: Environment; body?: ReceiverToCertify };
    reply: ReceiverCertification;
  };
  rehearse: { input: { environment: Environment; body?: NewRehearsal }; reply: RehearsalReport };
  recoverDeliveries: { input: { environment: Environment; body: OwnRecovery }; reply: Recovered };
  sendPending: {
    input: { environment: Environment; query?: { limit?: number; after?: string } };
    reply: SentPending;
  };
  listDeliveries: {
    input: {
      environment: Environment;
      query?: {
        limit?: number;
        cursor?: string;
        state?: DeliveryState;
        only?: RemainingDeliveries;
        partner_order_id?: string;
        partner_order_id_prefix?: string;
        type?: EventType;
        failure_code?: AttemptFailure;
        status_class?: StatusClass;
        since?: string;
        until?: string;
        ids?: string;
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
    reply: OwnDeliveryCount;
  };
  getDelivery: { input: { environment: Environment; id: string }; reply: DeliveryWithAttempts };
  retryDelivery: { input: { environment: Environment; id: string }; reply: Delivery };
  getCase: { input: { environment: Environment; id: string }; reply: Case };
  getContacts: { input: { environment: Environment }; reply: Contacts };
  putContacts: { input: { environment: Environment; body: NewContacts }; reply: Contacts };
  confirmContactAgain: {
    input: { environment: Environment; body: ContactToConfirm };
    reply: Contacts;
  };
  listNotices: {
    input: { environment: Environment; query?: { limit?: number; cursor?: string } };
    reply: OwnNoticePage;
  };
  listActivity: {
    input: { environment: Environment; query?: { limit?: number; cursor?: string } };
    reply: PartnerActivityPage;
  };
  getEntrance: { input: object; reply: Entrance };
  signInWithKey: { input: { environment: Environment; body: KeyCredentials }; reply: Me };
  signOut: { input: { environment: Environment }; reply: undefined };
}
