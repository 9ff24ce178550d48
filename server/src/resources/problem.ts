/**
 * Everything that the back office refuses, as RFC 9457 problems. The server, the documentation and the tests
 * share this catalogue.
 */

import { MOST_WAITING_READS, READ_TIMEOUT_MS } from '../base/database-errors.ts';
import { MOST_PREVIOUS_KEYS } from '../base/sealing/previous-keys.ts';
import { refusals } from '../gateway/refusal.ts';
import { storageTroubles } from '../store/storage-trouble.ts';

export const problems = {
  malformed_request: { status: 400, title: 'The request is not valid HTTP.' },
  malformed_json: { status: 400, title: 'The body is not valid JSON.' },
  unauthenticated: {
    status: 401,
    title:
      'Sign in first: the back office takes a token, the portal a link from API support or a key.',
  },
  reauthentication_required: {
    status: 401,
    title: 'Sign in again: the OpenID Connect provider must confirm your role.',
  },
  forbidden: { status: 403, title: 'The role of this token does not allow this.' },
  incorrect_credentials: { status: 401, title: refusals.incorrectCredentials.meaning },
  api_access_disabled: { status: 403, title: refusals.apiAccessDisabled.meaning },
  not_allowed_host: { status: 403, title: refusals.notAllowedHost.meaning },
  key_sign_in_off: {
    status: 403,
    title: 'Nobody can sign in to this portal with a key; ask API support for a link.',
  },
  scope_required: {
    status: 403,
    title: 'This session may not do this; ask API support for a link with the scope.',
  },
  read_only_session: {
    status: 403,
    title: 'This session only shows what the partner sees; it cannot change anything.',
  },
  csrf: {
    status: 403,
    title:
      'A change from the console or the portal must come from its own pages; from the console it must also carry X-Bellhop-Console: 1.',
  },
  route_not_found: { status: 404, title: 'There is nothing at this address.' },
  environment_not_found: { status: 404, title: 'This server does not serve that environment.' },
  partner_not_found: { status: 404, title: 'There is no such partner in this environment.' },
  key_not_found: { status: 404, title: 'There is no such key in this environment.' },
  midoffice_not_found: { status: 404, title: 'There is no such midoffice in this environment.' },
  delivery_not_found: { status: 404, title: 'There is no such delivery in this environment.' },
  case_not_found: {
    status: 404,
    title: 'No order, event, delivery or refused call in this environment has this id.',
  },
  limit_request_not_found: {
    status: 404,
    title: 'No partner of this environment has asked for such a limit.',
  },
  limit_request_open: {
    status: 409,
    title: 'You have already asked for another limit of this endpoint, and the answer is pending.',
  },
  limit_request_answered: {
    status: 409,
    title: 'This request was answered already; change the limit of the key instead.',
  },
  portal_link_not_found: { status: 404, title: 'There is no such link of this partner.' },
  portal_session_not_found: { status: 404, title: 'There is no such session of this partner.' },
  contact_not_found: { status: 404, title: 'There is no such contact of this partner.' },
  audit_entry_not_found: {
    status: 404,
    title: 'There is no such entry in the audit of this environment.',
  },
  person_not_found: { status: 404, title: 'There is no such person.' },
  token_not_found: { status: 404, title: 'There is no such token.' },
  endpoint_not_granted: { status: 404, title: 'The endpoint is not granted to this key.' },
  method_not_allowed: { status: 405, title: 'This address does not support this method.' },
  request_timeout: { status: 408, title: 'The request did not arrive in time.' },
  certification_required: {
    status: 409,
    title: 'Limits can be raised only after the partner has completed certification.',
  },
  midoffice_not_own: {
    status: 409,
    title:
      'Other partners work with this midoffice too, or it signs with a key that is not yours; ask API support.',
  },
  own_address_excluded: {
    status: 409,
    title:
      'Your own address would not be allowed any more; send "exclude_own_address": true if that is meant.',
  },
  partner_suspended: { status: 409, title: 'The partner is suspended; resume it first.' },
  portal_link_used: {
    status: 409,
    title: 'The link was used already; end the session that it opened instead.',
  },
  portal_not_served: {
    status: 409,
    title:
      'This process does not serve the portal, and BELLHOP_PORTAL_URL does not say where it is served; set it, or add portal to BELLHOP_ROLES.',
  },
  mail_not_sent: {
    status: 409,
    title:
      'This server sends no mail; copy the link instead, or set BELLHOP_SMTP_URL and BELLHOP_MAIL_FROM.',
  },
  portal_link_invalid: {
    status: 410,
    title: 'This link was used already, has expired or was withdrawn; ask API support for another.',
  },
  contact_link_invalid: {
    status: 410,
    title:
      'This link was used already, has expired, or the address was removed; ask for another mail in the portal.',
  },
  key_id_taken: { status: 409, title: 'There is a key with this key_id already.' },
  key_revoked: { status: 409, title: 'The key is revoked; create a new one.' },
  too_many_overlaps: {
    status: 409,
    title: `${MOST_PREVIOUS_KEYS} earlier API keys of this key still work; wait until an overlap ends, or send "end_overlaps": true to end them all now.`,
  },
  overview_always_active: { status: 422, title: 'overview/ cannot be set inactive.' },
  overview_required: { status: 409, title: 'overview/ cannot be withdrawn from a key.' },
  last_admin_token: { status: 409, title: 'The last admin token cannot be deleted.' },
  no_midoffice: {
    status: 409,
    title: 'The event has no midoffice; assign one to its partner first.',
  },
  count_changed: {
    status: 409,
    title: 'The filter finds another number of deliveries than expected; nothing was changed.',
  },
  delivery_settled: { status: 409, title: 'The delivery is already settled.' },
  delivery_not_exhausted: {
    status: 409,
    title: 'Only exhausted deliveries can be acknowledged.',
  },
  sandbox_only: { status: 409, title: 'This works only in the sandbox.' },
  event_id_reused: {
    status: 409,
    title: 'An event with this event_id but different content was accepted before.',
  },
  changed_meanwhile: {
    status: 409,
    title: 'Someone else changed this at the same time; read it again and repeat your change.',
  },
  changed_since: {
    status: 409,
    title: 'The record changed since; look at the newer changes, and set what you want by hand.',
  },
  not_revertible: {
    status: 409,
    title: 'Only changes of fields, limits and endpoints can be undone.',
  },
  import_running: {
    status: 409,
    title: 'Another import into this environment is running; wait until it ends.',
  },
  body_too_large: { status: 413, title: 'The body is too large.' },
  unsupported_media_type: { status: 415, title: 'The body must be application/json.' },
  validation_failed: { status: 422, title: 'The request does not have the expected form.' },
  import_refused: {
    status: 422,
    title: 'Lines of the import have errors, so nothing was imported; correct them and repeat it.',
  },
  too_many_deliveries: {
    status: 422,
    title:
      'The filter finds more than 1,000,000 deliveries; narrow it, for example to a span of time.',
  },
  sandbox_not_offered: {
    status: 422,
    title: 'The sandbox is offered only to new partners whose integration starts inside the offer.',
  },
  receiver_refused: {
    status: 422,
    title: 'Webhooks may only go to an https address whose host resolves to public addresses.',
  },
  receiver_test_failed: {
    status: 422,
    title: 'The new receiver did not accept a test webhook, so the old one stays.',
  },
  approval_required: {
    status: 422,
    title: 'Raising a limit in production requires an approval_reference.',
  },
  too_many_failed_logins: {
    status: 429,
    title: '20 sign-ins failed from this address within 60 seconds; wait for Retry-After.',
  },
  too_many_portal_calls: {
    status: 429,
    title: 'A partner or a session may do this only so many times a minute; wait for Retry-After.',
  },
  too_many_reads: {
    status: 429,
    title: `More than ${MOST_WAITING_READS} of your reads are waiting; send fewer requests at a time.`,
  },
  too_many_confirmations: {
    status: 429,
    title:
      'A partner may have 20 addresses confirmed in 24 hours, and one address may be asked 3 times; wait for Retry-After.',
  },
  too_many_mailed_links: {
    status: 429,
    title: 'One address may get 10 links to the portal in an hour; wait for Retry-After.',
  },
  headers_too_large: { status: 431, title: 'The request line and headers are too large.' },
  internal_error: {
    status: 500,
    title: 'The service failed to handle the request; try again later.',
  },
  method_not_implemented: { status: 501, title: 'This server does not know the method.' },
  too_many_events: {
    status: 503,
    title: 'More order events arrive than can be stored; send them again after Retry-After.',
  },
  storage_full: { status: 503, title: storageTroubles.storage_full },
  storage_read_only: { status: 503, title: storageTroubles.storage_read_only },
  storage_failing: { status: 503, title: storageTroubles.storage_failing },
  storage_gone: { status: 503, title: storageTroubles.storage_gone },
  storage_damaged: { status: 503, title: storageTroubles.storage_damaged },
  database_unavailable: {
    status: 503,
    title: 'The database does not answer; try again in a moment.',
  },
  read_timed_out: {
    status: 503,
    title: `Reading this takes longer than ${READ_TIMEOUT_MS / 1_000} seconds; narrow the filter, for example to a span of time, or try again later.`,
  },
} as const;

export type ProblemCode = keyof typeof problems;

export interface FieldError {
  /** The line of an import. */
  line?: number;
  /** A JSON pointer into the body, or the name of a query parameter. */
  field: string;
  detail: string;
}

export class Problem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[] | undefined;
  /** For `Retry-After`. */
  readonly retryAfterMs: number | undefined;

  constructor(
    code: ProblemCode,
    detail?: string,
    errors?: readonly FieldError[],
    { retryAfterMs }: { retryAfterMs?: number } = {},
  ) {
    super(detail ?? problems[code].title);
    this.code = code;
    this.errors = errors;
    this.retryAfterMs = retryAfterMs;
  }

  get status(): number {
    return problems[this.code].status;
  }

  toJSON(): object {
    const { status, title } = problems[this.code];
    return {
      type: `urn:bellhop:problem:${this.code}`,
      title,
      status,
      code: this.code,
      detail: this.message,
      ...(this.errors && { errors: this.errors }),
    };
  }
}

/** `detail` completes the sentence that the field's name starts, without a full stop: "must be a number". */
export function invalidField(field: string, detail: string): Problem {
  return new Problem('validation_failed', `${field} ${detail}.`, [{ field, detail }]);
}

/** The schema accepts leap seconds, which JavaScript's dates cannot represent. */
export function readTime(text: string, field: string): number {
  const ms = Date.parse(text);
  if (Number.isNaN(ms)) throw invalidField(field, 'must be a date and time in ISO 8601');
  return ms;
}

export function readTimeOrNull(text: string | null | undefined, field: string): number | null {
  return text === null || text === undefined ? null : readTime(text, field);
}

/** Of something that is created or changed now: what has expired already would never work. */
export function checkExpiry(
  ms: number | null | undefined,
  nowMs: number,
  what: 'key' | 'token',
): void {
  if (ms === null || ms === undefined || ms > nowMs) return;
  const detail = `must be in the future; send null for a ${what} that never expires`;
  throw invalidField('/expires_at', detail);
}
