/** The forms of what the back office takes and gives, for validation, types and OpenAPI alike. */
import Type, { type TProperties, type TSchema } from 'typebox';
import { environmentNames } from '../config/settings.ts';
import { MOST_PREVIOUS_KEYS } from '../previous-keys.ts';
import { type Group, groups } from '../receiver-check/line.ts';
import { checkedForms } from '../receiver-check/lines.ts';
import { deliveryStates } from '../store/queue/read-deliveries.ts';
import { bodyForms, deliveryOrders, MOST_IN_FLIGHT } from '../support/midoffices.ts';
import { MOST_RECOVERED } from '../support/recover-midoffice.ts';
import { LONGEST_OVERLAP_SECONDS } from '../support/rotate-key.ts';
import { statsSpans } from '../support/stats.ts';
import { tokenRoles } from '../support/tokens.ts';

export const LARGEST_REQUESTS_NUMBER = 1_000_000;
export const LARGEST_SECONDS_NUMBER = 31 * 86_400;
const MOST_ALLOWED_IPS = 1_000;

/** Well-formed Unicode without control characters: what every store and every screen can show. */
export function text(minLength: number, maxLength: number, description?: string) {
  return Type.String({ minLength, maxLength, format: 'text', ...(description && { description }) });
}

/** Well-formed Unicode without NUL: the sender's own words, kept as they came. */
export function anyText(minLength: number, maxLength: number, description?: string) {
  return Type.String({
    minLength,
    maxLength,
    format: 'any-text',
    ...(description && { description }),
  });
}

/** Null counts as absent. One schema and not a choice of two, of which both would complain. */
export function optionalText(maxLength: number) {
  return Type.Unsafe<string | null>({ type: ['string', 'null'], maxLength, format: 'any-text' });
}

export function words<const T extends readonly string[]>(choices: T, description?: string) {
  return Type.Unsafe<T[number]>({
    type: 'string',
    enum: [...choices],
    ...(description && { description }),
  });
}

/** Unknown fields are refused: a misspelt one would otherwise be ignored in silence. */
export function input<P extends TProperties>(properties: P, more: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...more });
}

export function orNull<S extends TSchema>(schema: S) {
  return Type.Union([schema, Type.Null()]);
}

export const environmentParams = {
  environment: words(environmentNames, 'The environment whose data is meant.'),
};

export const pageQuery = {
  limit: Type.Optional(Type.String({ description: 'Items on a page, 1 to 200; 50 if not given.' })),
  cursor: Type.Optional(
    Type.String({ maxLength: 1_000, description: "An earlier reply's next_cursor." }),
  ),
};

export function pageOfSchema<S extends TSchema>(item: S) {
  return Type.Object({ items: Type.Array(item), next_cursor: orNull(Type.String()) });
}

export const time = Type.String({ format: 'date-time' });

export const Partner = Type.Object({
  id: Type.String(),
  name: Type.String(),
  integration_started_on: Type.String({ format: 'date' }),
  is_new: Type.Boolean(),
  suspended: Type.Boolean(),
  certified_at: orNull(time),
  certification_reference: orNull(Type.String()),
  midoffice_id: orNull(Type.String()),
  created_at: time,
});

export const NewPartner = input({
  name: text(1, 200),
  integration_started_on: Type.String({ format: 'date' }),
  is_new: Type.Boolean({ description: 'Whether the partner is new to the API.' }),
});

export const PartnerChanges = input(
  {
    name: Type.Optional(text(1, 200)),
    suspended: Type.Optional(Type.Boolean()),
    midoffice_id: Type.Optional(orNull(Type.String())),
  },
  { minProperties: 1 },
);

export const Certification = input({ reference: text(1, 200) });

const keyFields = {
  label: Type.Optional(orNull(text(1, 200))),
  expires_at: Type.Optional(orNull(time)),
  allowed_ips: Type.Optional(
    orNull(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: MOST_ALLOWED_IPS,
        description: 'Addresses and CIDRs, IPv4 and IPv6; null lets every address in.',
      }),
    ),
  ),
};

export const NewKey = input({
  ...keyFields,
  endpoints: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: 43,
      description: 'A subset of the catalogue; overview/ always belongs to it. All if not given.',
    }),
  ),
});

export const KeyChanges = input(
  { ...keyFields, disabled: Type.Optional(Type.Boolean()) },
  { minProperties: 1 },
);

export const Key = Type.Object({
  key_id: Type.String(),
  partner_id: Type.String(),
  label: orNull(Type.String()),
  disabled: Type.Boolean(),
  expires_at: orNull(time),
  allowed_ips: orNull(Type.Array(Type.String())),
  previous_key_valid_until: orNull(
    Type.String({
      format: 'date-time',
      description:
        'When the last of the earlier API keys stops working; null if there is none. May be in the past.',
    }),
  ),
  overlap_ends: Type.Array(time, {
    description:
      'When each of the earlier API keys stops working, that of the last rotation first.',
  }),
  revoked_at: orNull(time),
  created_at: time,
});

export const KeyWithSecret = Type.Object({
  key_id: Type.String(),
  api_key: Type.String({ format: 'uuid', description: 'Shown this once.' }),
  ...Type.Omit(Key, ['key_id']).properties,
});

export const Rotation = input({
  overlap_seconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LONGEST_OVERLAP_SECONDS,
      description: `How long the API key that is replaced goes on working; a day if not given. Earlier ones keep working until their own overlap ends. At most ${MOST_PREVIOUS_KEYS} work beside the new one.`,
    }),
  ),
  end_overlaps: Type.Optional(
    Type.Boolean({
      description:
        'Ends the overlaps of earlier rotations now, such as when an API key has leaked.',
    }),
  ),
});

const grantFields = {
  endpoint: Type.String({ maxLength: 200 }),
  is_active: Type.Boolean(),
  is_debug_mode: Type.Boolean(),
  is_limited: Type.Boolean(),
  requests_number: Type.Integer({ minimum: 1, maximum: LARGEST_REQUESTS_NUMBER }),
  seconds_number: Type.Integer({ minimum: 1, maximum: LARGEST_SECONDS_NUMBER }),
};

export const Grant = Type.Object(grantFields);

export const GrantInput = input({
  ...Type.Partial(Grant).properties,
  endpoint: grantFields.endpoint,
  approval_reference: Type.Optional(text(1, 200)),
});

export const GrantWithWarnings = Type.Object({
  ...grantFields,
  warnings: Type.Array(Type.Object({ code: Type.String(), detail: Type.String() })),
});

export const Usage = Type.Object({
  endpoint: Type.String(),
  is_limited: Type.Boolean(),
  requests_number: Type.Integer(),
  seconds_number: Type.Integer(),
  used: Type.Integer(),
  remaining: orNull(Type.Integer()),
  resets_at: orNull(time),
});

export const AuditEntry = Type.Object({
  id: Type.String(),
  at: time,
  actor: Type.String(),
  action: Type.String(),
  subject: Type.String(),
  before: Type.Unknown(),
  after: Type.Unknown(),
});

export const NewToken = input({ name: text(1, 200), role: words(tokenRoles) });

export const Token = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Type.String(),
  created_at: time,
});

export const TokenWithSecret = Type.Object({
  ...Token.properties,
  token: Type.String({ description: 'Shown this once.' }),
});

export const MOST_EVENTS = 1_000;
const eventTypes = ['created', 'updated', 'cancelled'] as const;

export const OrderEvent = input({
  event_id: anyText(1, 128, "The sender's own; the same id again is the same event."),
  type: words(eventTypes),
  partner_id: Type.String({ minLength: 1, maxLength: 200 }),
  partner_order_id: anyText(1, 256, "The partner's identifier of the booking."),
  agreement_number: Type.Optional(optionalText(1_024)),
  status: Type.Optional(optionalText(1_024)),
  midoffice_id: Type.Optional(Type.String({ description: "If not given, the partner's." })),
});

export const EventOutcomes = Type.Object({
  results: Type.Array(
    Type.Object({
      event_id: Type.String(),
      outcome: words(['queued', 'duplicate', 'no_midoffice']),
      delivery_id: orNull(Type.String()),
    }),
  ),
});

const midofficeFields = {
  name: text(1, 200),
  url: Type.String({ minLength: 1, maxLength: 4_096, description: 'Where webhooks are POSTed.' }),
  signing_key_id: Type.String({ maxLength: 200, description: 'Key whose API key signs.' }),
  body_form: words(bodyForms),
  delivery_order: words(deliveryOrders),
  max_in_flight: Type.Integer({ minimum: 1, maximum: MOST_IN_FLIGHT }),
};

export const Midoffice = Type.Object({
  id: Type.String(),
  name: Type.String(),
  url: Type.String(),
  signing_key_id: Type.String(),
  body_form: Type.String(),
  delivery_order: Type.String(),
  max_in_flight: Type.Integer(),
  paused: Type.Boolean(),
  failing_since: orNull(time),
  created_at: time,
});

export const NewMidoffice = input({
  name: midofficeFields.name,
  url: midofficeFields.url,
  signing_key_id: midofficeFields.signing_key_id,
  body_form: Type.Optional(midofficeFields.body_form),
  delivery_order: Type.Optional(midofficeFields.delivery_order),
  max_in_flight: Type.Optional(midofficeFields.max_in_flight),
});

export const MidofficeChanges = input(
  {
    ...Type.Partial(Type.Object(midofficeFields)).properties,
    paused: Type.Optional(Type.Boolean()),
  },
  { minProperties: 1 },
);

export const Attempt = Type.Object({
  number: Type.Integer(),
  started_at: time,
  duration_ms: Type.Integer(),
  outcome: Type.String(),
  status_code: orNull(Type.Integer()),
  reply_excerpt: orNull(Type.String()),
  error: orNull(Type.String()),
  failure_code: orNull(
    Type.String({ description: 'Why it failed, for programs; null when delivered.' }),
  ),
  signature_timestamp: Type.Integer(),
  signature_token: Type.String(),
  // As they were at that attempt; null in attempts of before these were kept.
  url: orNull(Type.String()),
  body_form: orNull(Type.String()),
  user_agent: orNull(Type.String()),
  key_id: orNull(Type.String({ description: 'The key that signed it.' })),
  key_fingerprint: orNull(
    Type.String({
      description: 'Tells apart the values that the key had before and after a rotation.',
    }),
  ),
});

const deliveryFields = {
  id: Type.String(),
  event_id: Type.String(),
  type: Type.String(),
  partner_id: Type.String(),
  partner_order_id: Type.String(),
  agreement_number: orNull(Type.String()),
  status: orNull(Type.String()),
  midoffice_id: orNull(Type.String({ description: 'Null while the event is unrouted.' })),
  state: Type.String(),
  in_flight: Type.Boolean({
    description:
      'Whether the node that answers has an attempt of it under way. Ask the one that delivers to its midoffice (see delivery_node) to be sure.',
  }),
  attempts_made: Type.Integer(),
  next_attempt_at: orNull(
    Type.String({
      format: 'date-time',
      description:
        'Null while an attempt is under way, while it waits for an earlier event of its order, and once it is settled.',
    }),
  ),
  accepted_at: time,
  settled_at: orNull(time),
};

export const Delivery = Type.Object(deliveryFields);
export const DeliveryWithAttempts = Type.Object({
  ...deliveryFields,
  attempts: Type.Array(
    Type.Object({
      ...Attempt.properties,
      request: orNull(
        Type.Object(
          {
            url: Type.String(),
            headers: Type.Record(Type.String(), Type.String()),
            body: Type.String(),
          },
          { description: 'As it was sent, the signatures masked; null if it is not known.' },
        ),
      ),
    }),
  ),
  future_attempts: Type.Array(time, {
    description:
      'When the attempts that are left would come; none once it is settled, or while it waits for an earlier event of its order.',
  }),
  why: orNull(
    Type.String({ description: 'Why the last attempt failed, and what to do about it.' }),
  ),
});

export const deliveryQuery = {
  ...pageQuery,
  state: Type.Optional(words(deliveryStates)),
  midoffice_id: Type.Optional(Type.String()),
  partner_id: Type.Optional(Type.String()),
  partner_order_id: Type.Optional(Type.String()),
  type: Type.Optional(words(eventTypes)),
  since: Type.Optional(time),
  until: Type.Optional(time),
};

export const Recovery = input({
  since: time,
  until: Type.Optional(time),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Only count what would be requeued; nothing changes.' }),
  ),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MOST_RECOVERED,
      description: 'Requeue this many at most, the oldest; the reply says how many remain.',
    }),
  ),
});
export const Recovered = Type.Object({
  requeued: Type.Integer(),
  remaining: Type.Optional(Type.Integer({ description: 'Where a limit was given.' })),
});

export const MidofficeWithState = Type.Object({
  ...Midoffice.properties,
  pending: Type.Integer(),
  oldest_pending_at: orNull(time),
  delivery_node: orNull(
    Type.String({ description: 'The node that delivers to it; null while there is none.' }),
  ),
  last_attempt: orNull(Type.Object({ delivery_id: Type.String(), ...Attempt.properties })),
});

export const DeliveryNodes = Type.Object({
  items: Type.Array(
    Type.Object({
      id: Type.String(),
      host: Type.String(),
      since: time,
      shards: Type.Array(Type.Integer(), { description: 'The shards that it delivers for.' }),
      in_flight: Type.Integer({ description: 'Attempts under way, to within a second or so.' }),
    }),
  ),
  unowned: Type.Array(Type.Integer(), {
    description: 'Shards that no node delivers for at the moment.',
  }),
});

export const ReceiverToCheck = input({ url: midofficeFields.url });
export const ReceiverCheck = Type.Object({
  ok: Type.Boolean(),
  url: Type.Optional(Type.String({ description: 'The normal form: what would be called.' })),
  detail: Type.Optional(Type.String({ description: 'Why not, and what to do.' })),
});

export const ReceiverToCertify = input({
  form: Type.Optional(
    words(checkedForms, 'The forms of the body that the receiver has to read; both.'),
  ),
});
export const ReceiverCertification = Type.Object({
  url: Type.String(),
  form: words(checkedForms),
  started_at: time,
  duration_ms: Type.Integer(),
  verdict: words(['passed', 'failed'], 'Passed only if every line did.'),
  passed: Type.Integer(),
  failed: Type.Integer(),
  skipped: Type.Integer(),
  lines: Type.Array(
    Type.Object({
      name: Type.String(),
      group: words(Object.keys(groups) as Group[]),
      title: Type.String({ description: 'Completes the sentence "The receiver …".' }),
      outcome: words(['passed', 'failed', 'skipped']),
      sent: Type.String(),
      expected: Type.String(),
      got: Type.String({ description: 'What came; for a skipped line, why it was skipped.' }),
      why: Type.String(),
      fix: Type.String(),
    }),
  ),
});

export const NewConsoleSession = input({ token: Type.String({ minLength: 1, maxLength: 256 }) });
export const ConsoleSession = Type.Object({
  name: Type.String(),
  role: Type.String(),
  environments: Type.Array(Type.String(), { description: 'Those that this process serves.' }),
});

export const Stats = Type.Object({
  span: words(statsSpans),
  from: time,
  to: time,
  step_seconds: Type.Integer(),
  buckets: Type.Array(
    Type.Object({
      at: time,
      delivered: Type.Integer(),
      failed_attempts: Type.Integer(),
      exhausted: Type.Integer(),
    }),
  ),
  pending: Type.Integer(),
  oldest_pending_at: orNull(time),
  in_flight: Type.Integer(),
  success_rate: orNull(
    Type.Number({ description: 'Share of the attempts in this span that delivered, 0 to 1.' }),
  ),
  failing_midoffices: Type.Array(
    Type.Object({
      id: Type.String(),
      name: Type.String(),
      failing_since: time,
      pending: Type.Integer(),
      last_error: orNull(Type.String()),
    }),
  ),
  limited_keys: Type.Array(
    Type.Object({
      key_id: Type.String(),
      label: orNull(Type.String()),
      partner_name: Type.String(),
      refused: Type.Integer({ description: 'In the last hour, by this process.' }),
    }),
  ),
  recent_changes: Type.Array(AuditEntry),
});

export const SearchResult = Type.Object({
  items: Type.Array(
    Type.Object({
      kind: words(['partner', 'key', 'midoffice', 'delivery']),
      id: Type.String(),
      title: Type.String(),
      detail: Type.String(),
    }),
  ),
});
