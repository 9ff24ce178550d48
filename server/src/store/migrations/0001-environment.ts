/** The tables of an environment in the first release. */
import type { Engine } from '../engine.ts';
import { type Db, run } from './migration.ts';

const SHARDS = 64;

export async function createEnvironmentTables(db: Db, engine: Engine): Promise<void> {
  await run(db, partners);
  await run(db, deliveries(engine));
  await run(db, queue(engine));
  await run(db, auditAndNotes(engine));
  await run(db, portal);
  await run(db, notices);
  await run(db, counters(engine));
  await run(db, recordedCalls);
  if (engine === 'postgres') await run(db, sharedByNodes);
}

const partners = [
  `create table meta (
     name text primary key,
     value text not null)`,

  `create table partner (
     id text primary key,
     name text not null,
     integration_started_on text not null,
     is_new integer not null,
     suspended integer not null,
     certified_at bigint,
     certification_reference text,
     midoffice_id text,
     created_at bigint not null)`,
  // The name as well: a search looks through names without reading the partners.
  'create index partner_by_time on partner (created_at, id, name)',
  'create index partner_by_name on partner (lower(name), id)',
  // What the list can be narrowed to.
  'create index partner_suspended on partner (created_at, id, name) where suspended = 1',
  'create index partner_uncertified on partner (created_at, id, name) where certified_at is null',
  'create index partner_without_midoffice on partner (created_at, id, name) where midoffice_id is null',
  // The partners of a midoffice, and whether it is shared.
  'create index partner_by_midoffice on partner (midoffice_id, created_at, id)',
  'create index partner_of_midoffice_by_name on partner (midoffice_id, lower(name), id)',

  `create table grant_set (
     id text primary key,
     grants text not null)`,

  `create table api_key (
     key_id text primary key,
     partner_id text not null references partner (id),
     label text,
     sealed_key text not null,
     digest text not null,
     previous_sealed_key text,
     previous_digest text,
     previous_until bigint,
     allowed_ips text,
     disabled integer not null,
     expires_at bigint,
     revoked_at bigint,
     grant_set text not null references grant_set (id),
     created_at bigint not null,
     earlier_keys text,
     last_used_on bigint)`,
  'create index api_key_by_time on api_key (created_at, key_id)',
  'create index api_key_by_partner on api_key (partner_id, created_at, key_id)',
  // Keys that never expire come last.
  'create index api_key_by_expiry on api_key (coalesce(expires_at, 9007199254740991), key_id)',
  `create index api_key_of_partner_by_expiry
     on api_key (partner_id, coalesce(expires_at, 9007199254740991), key_id)`,
  // What the list can be narrowed to. Those in use also serve what expires and what nobody uses.
  'create index api_key_revoked on api_key (created_at, key_id) where revoked_at is not null',
  `create index api_key_disabled on api_key (created_at, key_id)
     where disabled = 1 and revoked_at is null`,
  ...[
    ['by_time', 'created_at'],
    ['by_expiry', 'coalesce(expires_at, 9007199254740991)'],
    ['by_last_use', 'coalesce(last_used_on, created_at)'],
  ].map(
    ([order, by]) => `create index api_key_in_use_${order} on api_key (${by}, key_id)
       where revoked_at is null and disabled = 0`,
  ),

  // The API keys that rotations have replaced, for telling which one a refused call came with.
  `create table replaced_api_key (
     key_id text not null references api_key (key_id),
     fingerprint text not null,
     replaced_at bigint not null,
     replaced_by text not null,
     works_until bigint not null,
     constraint replaced_api_key_key primary key (key_id, fingerprint))`,

  // Limits that partners ask for in the portal. One is open for a key and endpoint at a time.
  `create table limit_request (
     id text primary key,
     partner_id text not null references partner (id),
     key_id text not null references api_key (key_id),
     endpoint text not null,
     requests_number integer not null,
     seconds_number integer not null,
     reason text not null,
     asked_by text not null,
     at bigint not null,
     state text not null,
     answered_at bigint,
     answered_by text,
     answer text,
     approval_reference text)`,
  'create index limit_request_by_time on limit_request (at, id)',
  'create index limit_request_by_state on limit_request (state, at, id)',
  'create index limit_request_by_partner on limit_request (partner_id, at, id)',
  "create unique index limit_request_open on limit_request (key_id, endpoint) where state = 'open'",

  // What a key last had of an endpoint that was withdrawn from it.
  `create table withdrawn_grant (
     key_id text not null references api_key (key_id),
     endpoint text not null,
     last text not null,
     constraint withdrawn_grant_key primary key (key_id, endpoint))`,

  `create table midoffice (
     id text primary key,
     name text not null,
     url text not null,
     signing_key_id text not null references api_key (key_id),
     body_form text not null,
     delivery_order text not null,
     max_in_flight integer not null,
     max_per_second integer,
     headers text,
     client_certificate text,
     paused integer not null,
     failing_since bigint,
     alerted_at bigint,
     created_at bigint not null,
     worked_key text,
     alert_claimed_at bigint)`,
  'create index midoffice_by_time on midoffice (created_at, id, name)',
  'create index midoffice_by_name on midoffice (lower(name), id)',
  // Housekeeping asks every 30 seconds, and there may be 100,000 midoffices.
  `create index midoffice_failing on midoffice (failing_since) where failing_since is not null`,
  // What the list can be narrowed to. The console's first page lists those that are paused, too.
  `create index midoffice_failing_by_time on midoffice (created_at, id, name)
     where failing_since is not null`,
  'create index midoffice_paused on midoffice (created_at, id, name) where paused = 1',

  // The latest test event of each midoffice, with what was sent and what came back.
  `create table test_event (
     midoffice_id text primary key,
     at bigint not null,
     actor text not null,
     outcome text not null,
     attempt text not null)`,
  "create index test_event_failed on test_event (midoffice_id) where outcome = 'failed'",

  // The senders' own references to what was imported: a repeated import finds by them what it created before.
  `create table imported_ref (
     kind text not null,
     ref text not null,
     id text not null,
     constraint imported_ref_pkey primary key (kind, ref))`,
  'create unique index imported_ref_by_id on imported_ref (kind, id)',
];

/** Facts: an accepted event, and each attempt to deliver it. */
function deliveries(engine: Engine): string[] {
  const embedded = engine === 'sqlite';
  return [
    // Order ids in the order of their bytes, so that an index finds everything that begins with a text. SQLite
    // compares like that anyway.
    `create table delivery (
       seq ${embedded ? 'integer primary key autoincrement' : 'bigserial primary key'},
       event_id text not null${embedded ? '' : ' unique'},
       type text not null,
       partner_id text not null,
       partner_order_id text${embedded ? '' : ' collate "C"'} not null,
       agreement_number text,
       status text,
       asked_midoffice_id text,
       midoffice_id text,
       accepted_at bigint not null,
       trace_context text,
       cancelled_unrouted integer)`,
    ...(embedded ? ['create unique index delivery_event_id on delivery (event_id)'] : []),
    'create index delivery_by_order on delivery (partner_order_id, seq)',
    'create index delivery_by_midoffice on delivery (midoffice_id, seq)',
    // Whose webhooks go to a midoffice although it is not theirs. Of every event, it would cost accepting a fifth more.
    `create index delivery_named on delivery (midoffice_id, partner_id)
      where asked_midoffice_id is not null`,
    'create index delivery_by_partner on delivery (partner_id, seq)',
    'create index delivery_by_time on delivery (accepted_at, seq)',
    // Most events are `created`: the newest are found by walking back, and accepting one costs no more.
    "create index delivery_updated on delivery (seq) where type = 'updated'",
    "create index delivery_cancelled on delivery (seq) where type = 'cancelled'",
    'create index delivery_unrouted on delivery (partner_id, seq) where midoffice_id is null',
    // Without those that were cancelled before they had a midoffice: it takes more than a second to skip a million.
    // PostgreSQL does not see that equal nulls keep the order, and SQLite prefers an index on what the query compares.
    `create index delivery_without_midoffice on delivery (${embedded ? 'midoffice_id, seq' : 'seq'})
      where midoffice_id is null and cancelled_unrouted is null`,

    `create table attempt (
       delivery_seq bigint not null,
       number integer not null,
       started_at bigint not null,
       duration_ms integer not null,
       outcome text not null,
       status_code integer,
       reply_excerpt text,
       error text,
       signature_timestamp bigint not null,
       signature_token text not null,
       failure_code text,
       url text,
       body_form text,
       user_agent text,
       key_id text,
       key_fingerprint text,
       constraint attempt_key primary key (delivery_seq, number)) ${embedded ? 'without rowid' : ''}`,

    // Each midoffice's last attempt, which no index of attempts could find.
    `create table last_attempt (
       midoffice_id text primary key,
       delivery_seq bigint not null,
       number integer not null,
       started_at bigint not null)`,
  ];
}

/**
 * The work that remains, what was given up, and who owns which shard. A delivery whose last attempt failed is in
 * `pending` or `given_up`, so these keep its result: a search filters the rows that it reads anyway.
 */
function queue(engine: Engine): string[] {
  const seq = engine === 'sqlite' ? 'integer' : 'bigint';
  const result = engine === 'sqlite' ? 'text' : 'text collate "C"';
  // Rows come and go all the time. A vacuum that waits for a fifth of them comes too late.
  const vacuumedEarly = `with (autovacuum_vacuum_scale_factor = 0.02,
       autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`;
  return [
    `create table pending (
       seq ${seq} primary key,
       shard integer not null,
       midoffice_id text not null,
       order_key text,
       due_at bigint,
       retries_used integer not null,
       attempts_made integer not null,
       scheduled_at bigint,
       asked_at bigint,
       last_key text,
       last_result ${result}) ${engine === 'sqlite' ? '' : vacuumedEarly}`,
    // Lanes read by it, and a sweep skips through it from midoffice to midoffice.
    'create index pending_due on pending (shard, midoffice_id, due_at, seq)',
    `create index pending_in_order on pending (midoffice_id, order_key, seq)
      where order_key is not null`,
    'create index pending_parked on pending (shard, seq) where due_at is null',

    // Midoffices whose `delivery_order` was changed, until their pending rows are in line with it.
    'create table restating (midoffice_id text primary key)',

    `create table given_up (
       seq ${seq} primary key,
       midoffice_id text,
       partner_id text,
       state text not null,
       at bigint not null,
       why text,
       last_result ${result},
       acknowledged_at bigint)`,
    'create index given_up_by_midoffice on given_up (midoffice_id, state, seq)',
    'create index given_up_by_state on given_up (state, seq)',
    // What a partner left behind at the midoffices that it had before, in the order of acceptance.
    'create index given_up_by_partner on given_up (partner_id, seq)',
    // What somebody still has to look at. The first page counts it every few seconds, so neither what was cancelled
    // nor what was acknowledged in the past is in the way.
    `create index given_up_unacknowledged on given_up (seq)
       where state || '' = 'exhausted' and acknowledged_at is null`,
    `create index given_up_unacknowledged_of on given_up (midoffice_id, seq)
       where state || '' = 'exhausted' and acknowledged_at is null`,
    // `pending` has no such index: each failed attempt would have to update it.
    'create index given_up_by_result on given_up (last_result, seq)',

    `create table shard (
       n integer primary key,
       node text,
       epoch bigint not null,
       until bigint not null,
       in_flight integer not null) ${engine === 'sqlite' ? '' : 'with (fillfactor = 50)'}`,
    ...Array.from(
      { length: SHARDS },
      (_, n) => `insert into shard (n, epoch, until, in_flight) values (${n}, 0, 0, 0)`,
    ),

    `create table delivery_node (
       id text primary key,
       host text not null,
       since bigint not null,
       until bigint not null)`,
  ];
}

/** Links and sessions, how often partners ask for work, and new receivers that are still to be tested. */
const portal = [
  `create table portal_link (
     id text primary key,
     partner_id text not null references partner (id),
     scopes text not null,
     is_preview integer not null,
     return_url text,
     created_by text not null,
     created_at bigint not null,
     expires_at bigint not null,
     used_at bigint,
     ended_at bigint)`,
  'create index portal_link_by_partner on portal_link (partner_id, created_at, id)',
  'create index portal_link_by_end on portal_link (expires_at)',
  // A mail that is sent again has another token. Each opens the link, which works once.
  `create table portal_link_token (
     digest text primary key,
     link_id text not null)`,
  'create index portal_link_token_by_link on portal_link_token (link_id)',

  `create table portal_session (
     id text primary key,
     digest text not null unique,
     partner_id text not null references partner (id),
     scopes text not null,
     came_by text not null,
     link_id text,
     key_id text,
     key_fingerprint text,
     opened_by text not null,
     return_url text,
     address text not null,
     created_at bigint not null,
     expires_at bigint not null)`,
  'create index portal_session_by_partner on portal_session (partner_id, created_at, id)',
  'create index portal_session_by_key on portal_session (key_id)',
  'create index portal_session_by_end on portal_session (expires_at)',

  `create table portal_pace (
     partner_id text not null,
     what text not null,
     times text not null,
     primary key (partner_id, what))`,

  `create table receiver_wish (
     midoffice_id text primary key references midoffice (id),
     id text not null,
     url text not null,
     wished_by text not null,
     at bigint not null,
     tested_at bigint,
     failure text)`,
];

/** Whom a partner wants to be told, what they are told, and the mails that tell them. */
const notices = [
  `create table contact (
     partner_id text not null references partner (id),
     email text not null,
     notices text not null,
     created_at bigint not null,
     confirmed_at bigint,
     primary key (partner_id, email))`,

  // A mail that is sent again has another link, and both work.
  `create table contact_link (
     digest text primary key,
     partner_id text not null,
     email text not null,
     expires_at bigint not null)`,
  'create index contact_link_by_contact on contact_link (partner_id, email)',
  'create index contact_link_by_end on contact_link (expires_at)',

  `create table notice (
     id text primary key,
     partner_id text not null,
     kind text not null,
     cause text not null,
     at bigint not null,
     facts text not null,
     queued_at bigint,
     over_at bigint)`,
  'create unique index notice_by_cause on notice (partner_id, kind, cause)',
  'create index notice_by_partner on notice (partner_id, at, id)',
  'create index notice_by_time on notice (at, id)',
  'create index notice_by_kind on notice (kind, at, id)',
  'create index notice_by_partner_and_kind on notice (partner_id, kind, at, id)',
  'create index notice_to_queue on notice (at) where queued_at is null',
  // Every half minute, those that are over are looked for.
  "create index notice_of_failure on notice (id) where kind = 'receiver_failing' and over_at is null",

  `create table mail (
     id text primary key,
     partner_id text not null,
     notice_id text,
     portal_link_id text,
     recipient text not null,
     created_at bigint not null,
     due_at bigint,
     tries integer not null,
     sent_at bigint,
     last_error text,
     recipient_refused integer not null default 0)`,
  'create index mail_due on mail (due_at, id) where due_at is not null',
  // Links are sent before notices, however many of those are due.
  `create index mail_with_link_due on mail (due_at, id)
     where due_at is not null and notice_id is null`,
  'create index mail_by_notice on mail (notice_id) where notice_id is not null',
  // What support looks for: notices whose mail was not sent.
  'create index mail_waiting on mail (notice_id) where due_at is not null and notice_id is not null',
  `create index mail_given_up on mail (notice_id)
     where due_at is null and sent_at is null and notice_id is not null`,
  'create index mail_by_portal_link on mail (portal_link_id) where portal_link_id is not null',
  'create index mail_by_recipient on mail (recipient, created_at)',
  'create index mail_by_partner on mail (partner_id, created_at)',
  'create index mail_by_time on mail (created_at)',
];

/**
 * `audit_by_portal_partner`: what people of a partner did in the portal (portal-actor.ts). `audit_partner`: whose
 * deliveries an entry has changed, in the order in which a partner reads them.
 */
const auditAndNotes = (engine: Engine) => [
  `create table audit (
     id text primary key,
     at bigint not null,
     actor text not null,
     action text not null,
     subject text not null,
     before text,
     after text)`,
  'create index audit_by_time on audit (at, id)',
  'create index audit_by_subject on audit (subject, at, id)',
  'create index audit_by_actor on audit (actor, at, id)',
  'create index audit_by_action on audit (action, at, id)',
  // Everyone but the people of partners: a search by name steps from one to the next, and partners may be 100,000.
  "create index audit_by_staff on audit (actor) where actor not like '% (portal par%)'",
  `create index audit_by_portal_partner on audit (${
    engine === 'postgres' ? 'right(actor, 42)' : 'substr(actor, -42)'
  }, at, id) where actor like '% (portal par%)'`,
  `create table audit_partner (
     partner_id text not null,
     at bigint not null,
     audit_id text not null,
     deliveries integer not null,
     primary key (partner_id, at, audit_id)) ${engine === 'sqlite' ? 'without rowid' : ''}`,

  `create table note (
     id text primary key,
     subject text not null,
     at bigint not null,
     author text not null,
     text text not null)`,
  'create index note_by_subject on note (subject, at, id)',
];

/**
 * Counted by the minute, so that charts need not read deliveries, and how often keys call endpoints. The primary key
 * of usage is the order in which a key's history is read; the index by time is for retention. No counter is indexed,
 * so adding to a row changes no index.
 */
function counters(engine: Engine): string[] {
  // Half of the pages in SQLite: the rows are in the index of the primary key. In PostgreSQL, room in each page lets
  // an update stay there, and the autovacuum has less to do.
  const storage = engine === 'sqlite' ? 'without rowid' : 'with (fillfactor = 85)';
  return [
    `create table minute_stat (
       minute bigint primary key,
       delivered bigint not null,
       failed_attempts bigint not null,
       exhausted bigint not null)`,
    ...['usage_hour', 'usage_day'].flatMap((table) => [
      `create table ${table} (
         key_id text not null,
         at bigint not null,
         endpoint text not null,
         admitted bigint not null,
         refused bigint not null,
         failed bigint not null,
         peak_calls integer,
         peak_share double precision,
         last_at bigint,
         constraint ${table}_pkey primary key (key_id, at, endpoint)) ${storage}`,
      `create index ${table}_by_time on ${table} (at)`,
    ]),
    `create table api_key_use (
       key_id text not null,
       fingerprint text not null,
       at bigint not null,
       constraint api_key_use_pkey primary key (key_id, fingerprint)) ${storage}`,
    `create table usage_writer (
       writer text not null primary key,
       batch bigint not null,
       at bigint not null)`,
  ];
}

/**
 * Refused and failed calls. Each filter of the list has an index in the order of the list: there may be 200,000, and
 * few of them match. They are few enough a second that seven indexes are no burden.
 */
const recordedCalls = [
  `create table recorded_call (
     request_id text primary key,
     at bigint not null,
     key_id text not null,
     partner_id text not null,
     signed_in integer not null,
     given_key_id text,
     given_api_key text,
     endpoint text,
     path text,
     method text,
     code text not null,
     status integer not null,
     requests_number integer,
     seconds_number integer,
     remaining integer,
     resets_at bigint,
     address text not null,
     upstream_status integer,
     upstream_ms double precision,
     duration_ms double precision not null,
     sampled_from bigint not null)`,
  'create index recorded_call_by_time on recorded_call (at, request_id)',
  ...['key_id', 'partner_id', 'code', 'endpoint', 'address'].map(
    (column) =>
      `create index recorded_call_by_${column} on recorded_call (${column}, at, request_id)`,
  ),
];

/** With SQLite there is one process. It keeps admissions in a separate file and learns of changes at once. */
const sharedByNodes = [
  `create table admission (
     seq bigserial primary key,
     key_id text not null,
     endpoint text not null,
     at_ms bigint not null,
     keep_until_ms bigint not null,
     restated_at_ms bigint,
     requests integer,
     span_ms bigint,
     past jsonb,
     id text,
     epoch text)`,
  'create index admission_by_end on admission (keep_until_ms)',

  // The transaction's own id, so that a reader can tell what it may have missed: rows become visible in the order of
  // commits, not of `seq`.
  `create table key_change (
     seq bigserial primary key,
     key_id text not null,
     at bigint not null,
     xid xid8 not null default pg_current_xact_id())`,
  'create index key_change_by_xid on key_change (xid)',
];
