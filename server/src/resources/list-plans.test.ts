/**
 * Lists with a filter that few rows match, in tables with many. A list that reads or sorts everything is quick in
 * a test and takes seconds in a database of a few years, so this looks at the plans of the engines.
 */
import { type ListName, type Only, type Order, onlyOf, ordersOf } from '@bellhop/rules/lists';
import { CompiledQuery, type Kysely, type KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { planIn, readsOf } from '../../testing/query-plans.ts';
import { describeOnEachDatabase, NOW } from '../../testing/queue-database.ts';
import { entriesConcerning } from '../store/audit-partners.ts';
import { isPostgres } from '../store/engine.ts';
import { mailQueueOn } from '../store/mails.ts';
import { portalActor } from '../store/portal-actor.ts';
import { midofficesWithExhausted } from '../store/queue/backlog.ts';
import type { DeliverySearch } from '../store/queue/delivery-search.ts';
import { findDeliveries } from '../store/queue/list.ts';
import { type CallFilter, deleteOldCalls, readCalls } from '../store/recorded-calls.ts';
import type { Database, Schema } from '../store/schema.ts';
import {
  deleteOldUsage,
  readKeyUsage,
  readPartnerUsage,
  readPeaks,
} from '../store/usage-history.ts';
import { newestAudit, partnersCalled } from './audit/queries.ts';
import { readExported } from './import/queries.ts';
import { key, keyList } from './keys/key.ts';
import { newestKeys } from './keys/queries.ts';
import { midoffice, midofficeList } from './midoffices/midoffice.ts';
import { failingMidoffices, hasOtherPartners, pausedMidoffices } from './midoffices/queries.ts';
import { newestNotes } from './notes/queries.ts';
import { findNotices, type NoticeFilter } from './notices/list-queries.ts';
import { partnerList } from './partners/list-partners.ts';
import { partner } from './partners/partner.ts';
import { changesOf, troubledDeliveries } from './partners/queries.ts';

const ROWS = 5_000;
const LIMIT = 20;
/** A few reads for each row that is shown. */
const MOST_READ = 10 * LIMIT;

const NUMBERS = `(with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${ROWS})
                  select n from numbers) as numbers`;

type List = (db: Database) => Promise<unknown[]>;

/** Whatever a list can be narrowed to, in each of its orders. */
function everyOrderOf<Name extends ListName>(
  name: Name,
  read: (
    db: Database,
    wanted: { only: Only<Name> | undefined; order: Order<Name>; nowMs: number },
  ) => Promise<unknown[]>,
): Record<string, List> {
  const each = [undefined, ...onlyOf(name)].flatMap((only) =>
    ordersOf(name, only).map((order): [string, List] => [
      `the ${name}, ${only ?? 'all'}, by ${order}`,
      (db) => read(db, { only, order, nowMs: NOW + ROWS / 10 }),
    ]),
  );
  return Object.fromEntries(each);
}

/** From the middle of the ids. */
const exported = { limit: LIMIT, createdUntilMs: NOW + 10 * ROWS };

/** Ids of their real length. */
const RARE_PARTNER = `par_${'1'.padStart(28, '0')}`;
const BUSY_PARTNER = `par_${'2'.padStart(28, '0')}`;

const lists: Record<string, List> = {
  'the audit of a subject': (db) => newestAudit(db, { limit: LIMIT }, { subject: 'par_rare' }),
  'the audit of a subject with many entries': (db) =>
    newestAudit(db, { limit: LIMIT }, { subject: 'par_1' }),
  'the audit by an actor': (db) => newestAudit(db, { limit: LIMIT }, { actor: 'zoe' }),
  'the audit by an actor with many entries': (db) =>
    newestAudit(db, { limit: LIMIT }, { actor: 'Ann' }),
  'the audit by people of partners of a name': async (db) =>
    newestAudit(
      db,
      { limit: LIMIT },
      { actor: 'busy', orByPartners: await partnersCalled(db, 'busy') },
    ),
  'the audit of an action': (db) => newestAudit(db, { limit: LIMIT }, { action: 'key.revoke' }),
  'the audit by people of a partner in the portal': (db) =>
    newestAudit(db, { limit: LIMIT }, { byPartner: RARE_PARTNER }),
  'the same of a partner with many entries': (db) =>
    newestAudit(db, { limit: LIMIT }, { byPartner: BUSY_PARTNER }),
  'the audit of changes to deliveries of a partner': (db) =>
    entriesConcerning(db, { limit: LIMIT }, RARE_PARTNER),
  'the same of a partner with many, from the middle': (db) =>
    entriesConcerning(db, { limit: LIMIT, after: [NOW + 2_500, 'aud_1'] }, BUSY_PARTNER),
  'the keys of a partner': (db) => newestKeys(db, { limit: LIMIT }, { partnerId: 'par_rare' }),
  'the keys of a partner that are not revoked': (db) =>
    newestKeys(db, { limit: LIMIT }, { partnerId: 'par_1', withRevoked: false }),
  'the keys of a partner with many': (db) =>
    newestKeys(db, { limit: LIMIT }, { partnerId: 'par_1' }),
  'the keys by expiry, from the middle of those that never expire': (db) =>
    keyList.rows(
      db,
      { limit: LIMIT, after: [Number.MAX_SAFE_INTEGER, 'key_5'] },
      { order: '-expires_at' },
    ),
  'the keys by expiry, from the middle': (db) =>
    keyList.rows(db, { limit: LIMIT, after: [NOW + 2_500, 'key_1'] }, { order: 'expires_at' }),
  'the keys of a partner by expiry': (db) =>
    keyList.rows(db, { limit: LIMIT }, { search: { partner_id: 'par_1' }, order: 'expires_at' }),
  'the partners by name, from the middle': (db) =>
    partnerList.rows(db, { limit: LIMIT, after: ['partner 3', 'par_1'] }, { order: '-name' }),
  'the partners of a midoffice': (db) =>
    partnerList.rows(db, { limit: LIMIT }, { search: { midoffice_id: 'mid_2' } }),
  'the partners of a midoffice by name': (db) =>
    partnerList.rows(db, { limit: LIMIT }, { search: { midoffice_id: 'mid_2' }, order: 'name' }),
  ...everyOrderOf('partners', (db, wanted) => partnerList.rows(db, { limit: LIMIT }, wanted)),
  ...everyOrderOf('keys', (db, wanted) => keyList.rows(db, { limit: LIMIT }, wanted)),
  ...everyOrderOf('midoffices', (db, wanted) => midofficeList.rows(db, { limit: LIMIT }, wanted)),
  'the audit, oldest first': (db) => newestAudit(db, { limit: LIMIT, ascending: true }, {}),
  'the troubled deliveries of a partner with many': (db) => troubledDeliveries(db, 'par_1', 50),
  'the notes on a subject with many': (db) => newestNotes(db, { limit: LIMIT }, 'par_1'),
  'the paused midoffices': (db) => pausedMidoffices(db, LIMIT),
  'the midoffices that are down': (db) => failingMidoffices(db, { untilMs: 1e15 }, LIMIT),
  'the unstable midoffices': (db) => failingMidoffices(db, { afterMs: 0 }, LIMIT),
  'deliveries of a rare type': (db) => findDeliveries(db, { type: 'cancelled' }, LIMIT),
  'what was exhausted and nobody has acknowledged': (db) =>
    findDeliveries(db, { only: 'unacknowledged' }, LIMIT),
  'the same of a midoffice': (db) =>
    findDeliveries(db, { only: 'unacknowledged', midoffice_id: 'mid_1' }, LIMIT),
  'the midoffices with such deliveries': (db) => midofficesWithExhausted(db, { limit: LIMIT }),
  'the partners of an export': (db) => readExported(db, partner, { ...exported, after: 'par_5' }),
  'the keys of an export': (db) => readExported(db, key, { ...exported, after: 'key_5' }),
  'the midoffices of an export': (db) =>
    readExported(db, midoffice, { ...exported, after: 'mid_5' }),
  'the usage of a key': (db) =>
    readKeyUsage(db, 'key_1', { step: 'hour', sinceMs: NOW, untilMs: NOW + ROWS }),
  'the usage of a partner': (db) =>
    readPartnerUsage(db, 'par_rare', { step: 'hour', sinceMs: NOW, untilMs: NOW + ROWS }),
  'the peaks of a key': (db) => readPeaks(db, 'key_1', NOW),
  ...Object.fromEntries(
    (
      [
        ['all', {}],
        ['of a key', { keyId: 'key_rare' }],
        ['of a partner', { partnerId: 'par_rare' }],
        ['of a partner with many', { partnerId: 'par_1' }],
        ['with a code', { code: 'unknown' }],
        ['of an endpoint', { endpoint: 'api/b2b/v3/overview/' }],
        ['from an address', { address: '192.0.2.99' }],
        ['of a request', { requestId: 'request_1' }],
        ['of a key in a span', { keyId: 'key_1', sinceMs: NOW, untilMs: NOW + ROWS }],
      ] satisfies [string, CallFilter][]
    ).map(([which, filter]) => [
      `the recorded calls: ${which}`,
      (db: Database) => readCalls(db, filter, { limit: LIMIT }),
    ]),
  ),
  ...Object.fromEntries(
    (
      [
        ['all', {}],
        ['of a partner', { partnerId: 'par_rare' }],
        ['of a partner with many', { partnerId: 'par_1' }],
        ['of a kind', { kind: 'url_changed' }],
        ['of a kind with many', { kind: 'limit_reached' }],
        ['of a partner with many and a rare kind', { partnerId: 'par_1', kind: 'key_rotated' }],
        ['with a mail that waits', { mail: 'waiting' }],
        ['with a mail that was given up', { mail: 'given_up' }],
        ['of a kind, given up', { kind: 'limit_reached', mail: 'given_up' }],
      ] satisfies [string, NoticeFilter][]
    ).flatMap(([which, filter]) => [
      [`the notices: ${which}`, (db: Database) => findNotices(db, { limit: LIMIT }, filter)],
      [
        `the notices, from the middle: ${which}`,
        (db: Database) =>
          findNotices(db, { limit: LIMIT, after: [NOW + 2_500, 'ntc_2500'] }, filter),
      ],
    ]),
  ),
  'the recorded calls that are no longer kept': async (db) => [await deleteOldCalls(db, NOW)],
  'the usage that is no longer kept': async (db) => [await deleteOldUsage(db, NOW)],
};

describeOnEachDatabase('a list reads about as many rows as it shows', (fresh) => {
  let filled: Promise<Database> | undefined;
  const filledOnce = () => {
    filled ??= fresh().then(async ({ db }) => {
      await fill(db);
      return db;
    });
    return filled;
  };
  // SQLite sorts the newest of each subject once more, so that its plan says nothing.
  const SUBJECTS = [
    'par_1',
    'par_rare',
    'mid_1',
    ...Array.from({ length: 20 }, (_, n) => `key_${n}`),
  ];
  test('the activity of a partner with many keys and many changes', async () => {
    const db = await filledOnce();
    const after = [NOW + 4_000, 'aud_1'] as const;
    expect(await changesOf(db, { limit: LIMIT, after }, SUBJECTS)).toHaveLength(LIMIT);
  });

  for (const [name, list] of Object.entries(lists)) {
    test(name, async () => {
      const db = await filledOnce();
      const statements: CompiledQuery[] = [];
      const found = await list(db.withPlugin(recordInto(statements, db)));
      expect(found.length).toBeGreaterThan(0);
      for (const statement of statements) await expectFewReads(db, statement);
    });
  }
});

describeOnEachDatabase('what was delivered before a long backlog', (fresh) => {
  const searches: DeliverySearch[] = [{}, { midoffice_id: 'mid_one' }, { partner_id: 'par_one' }];
  for (const search of searches) {
    test(`is found at once: ${JSON.stringify(search)}`, async () => {
      const queue = await fresh();
      const seq = await queue.delivery();
      await queue.attempt(seq, 1, { outcome: 'delivered' });
      await queue.db.executeQuery(
        CompiledQuery.raw(
          `insert into delivery (event_id, type, partner_id, partner_order_id, midoffice_id, accepted_at)
           select 'event-' || n, 'created', 'par_one', 'order', 'mid_one', ${NOW} from ${NUMBERS}`,
        ),
      );
      await queue.db.executeQuery(
        CompiledQuery.raw(
          `insert into pending (seq, shard, midoffice_id, due_at, retries_used, attempts_made)
           select seq, 1, 'mid_one', ${NOW}, 0, 0 from delivery where seq > ${seq}`,
        ),
      );
      if (isPostgres(queue.db)) await queue.db.executeQuery(CompiledQuery.raw('analyze'));
      const statements: CompiledQuery[] = [];
      const db = queue.db.withPlugin(recordInto(statements, queue.db));
      const found = await findDeliveries(db, { state: 'delivered', ...search }, LIMIT);
      expect(found.map((one) => one.seq)).toEqual([seq]);
      for (const statement of statements) await expectFewReads(queue.db, statement);
    });
  }
});

describeOnEachDatabase('a midoffice that a partner’s own events have named many times', (fresh) => {
  test('is known at once as its own', async () => {
    const { db } = await fresh();
    await db.executeQuery(
      CompiledQuery.raw(
        `insert into delivery (event_id, type, partner_id, partner_order_id, asked_midoffice_id, midoffice_id, accepted_at)
         select partner || n, 'created', partner, 'order', midoffice, midoffice, ${NOW}
           from ${NUMBERS}, (select 'par_one' as partner, 'mid_one' as midoffice
             union all select 'par_a', 'mid_other' union all select 'par_z', 'mid_other') as routes`,
      ),
    );
    if (isPostgres(db)) await db.executeQuery(CompiledQuery.raw('analyze'));
    const statements: CompiledQuery[] = [];
    const recorded = db.withPlugin(recordInto(statements, db));
    expect(await hasOtherPartners(recorded, 'par_one', 'mid_one')).toBe(false);
    const ofDeliveries = statements.filter(({ sql }) => sql.includes('"delivery"'));
    expect(ofDeliveries).toHaveLength(2);
    for (const statement of ofDeliveries) {
      expect(JSON.stringify(await planOf(db, statement))).toContain('delivery_named');
      await expectFewReads(db, statement);
    }
  });
});

describeOnEachDatabase('a mail that somebody waits for, behind many notices', (fresh) => {
  test('is found at once, and before them', async () => {
    const { db } = await fresh();
    const run = (text: string) => db.executeQuery(CompiledQuery.raw(text));
    await run(
      `insert into partner (id, name, integration_started_on, is_new, suspended, created_at)
       values ('par_mailed', 'One', '2025-10-01', 1, 0, 1)`,
    );
    // Of those with a link, most were sent long ago.
    await run(
      `insert into mail (id, partner_id, notice_id, recipient, created_at, due_at, tries)
       select kind || n, 'par_mailed', case when kind = 'notice_' then 'ntc_' || n end, 'ann@partner.example',
              ${NOW} + n, case when kind = 'notice_' or n = ${ROWS} then ${NOW} + n end, 1
         from ${NUMBERS}, (select 'notice_' as kind union all select 'link_') as kinds`,
    );
    if (isPostgres(db)) await run('analyze');
    const statements: CompiledQuery[] = [];
    const queue = mailQueueOn(db.withPlugin(recordInto(statements, db)));
    const found = await queue.due(NOW + ROWS, LIMIT);
    const notices = Array.from({ length: LIMIT - 1 }, (_, index) => `notice_${index + 1}`);
    expect(found.map(({ id }) => id)).toEqual([`link_${ROWS}`, ...notices]);
    expect(statements).toHaveLength(2);
    for (const statement of statements) await expectFewReads(db, statement);
  });
});

function recordInto(statements: CompiledQuery[], db: Kysely<Schema>): KyselyPlugin {
  return {
    transformQuery({ node, queryId }) {
      statements.push(db.getExecutor().compileQuery(node, queryId));
      return node;
    },
    transformResult: async ({ result }) => result,
  };
}

async function planOf(db: Database, { sql, parameters }: CompiledQuery): Promise<unknown[]> {
  const explain = isPostgres(db) ? 'explain (analyze, format json)' : 'explain query plan';
  return (await db.executeQuery(CompiledQuery.raw(`${explain} ${sql}`, [...parameters]))).rows;
}

async function expectFewReads(db: Database, statement: CompiledQuery): Promise<void> {
  const { sql } = statement;
  const rows = await planOf(db, statement);
  if (isPostgres(db)) {
    expect(Math.max(...readsOf(planIn(rows))), sql).toBeLessThanOrEqual(MOST_READ);
    return;
  }
  // SQLite does not say how many rows it read. A filter must be a search, or an index of what it finds, and the order
  // an index's.
  const steps = (rows as { detail: string }[]).map(({ detail }) => detail);
  const partial = await partialIndexes(db);
  const isFiltered = / where /.test(sql);
  // A page of deliveries is picked first, and then sorted once more. Failed tests are few.
  const isSortedAgain = / as "picked" | test_event /.test(sql);
  // Nothing but what somebody still has to look at: beside it, everything that was ever exhausted has the same state.
  const isUnacknowledged = /given_up\.acknowledged_at is null/.test(sql);
  // A state of mails beside a kind is looked for among so many mails, and never among all notices of the kind.
  const isOfMails = / as "mails" /.test(sql);
  // The other index of mails that are due has all notices, too.
  const isOfDueLinks = /"notice_id" is null/.test(sql);
  const isWhole = (step: string) =>
    (isOfDueLinks && /^SEARCH mail USING INDEX (?!mail_with_link_due)/.test(step)) ||
    (isOfMails && /^SEARCH notice .*kind=/.test(step)) ||
    (isUnacknowledged && /given_up USING .*INDEX (?!given_up_unacknowledged)/.test(step)) ||
    (!isSortedAgain && /^USE TEMP B-TREE FOR ORDER BY/.test(step)) ||
    (isFiltered &&
      /^SCAN (audit|audit_partner|api_key|delivery|mail|midoffice|note|notice|partner|recorded_call|usage_hour|usage_day|used)\b/.test(
        step,
      ) &&
      !partial.has(/ INDEX (\w+)/.exec(step)?.[1] ?? '')) ||
    /^SCAN (midoffice|partner|api_key|audit|notice|mail)$/.test(step);
  expect(steps.filter(isWhole), sql).toEqual([]);
}

async function partialIndexes(db: Database): Promise<Set<string>> {
  const { rows } = await db.executeQuery<{ name: string }>(
    CompiledQuery.raw(
      "select name from sqlite_master where type = 'index' and sql like '% where %'",
    ),
  );
  return new Set(rows.map(({ name }) => name));
}

async function fill(db: Database): Promise<void> {
  const padded = isPostgres(db) ? "lpad(n::text, 4, '0')" : "printf('%04d', n)";
  const run = (text: string) => db.executeQuery(CompiledQuery.raw(text, []));
  const rare = (one: string, others: string) =>
    `case when n = 1 then '${one}' else '${others}' end`;
  await run(
    `insert into partner (id, name, integration_started_on, is_new, suspended, created_at)
     values ('par_1', 'One', '2025-10-01', 1, 0, 1), ('par_rare', 'Rare', '2025-10-01', 1, 0, 1)`,
  );
  await run(
    `insert into partner (id, name, integration_started_on, is_new, suspended, certified_at, midoffice_id, created_at)
     select 'par_' || (n + 1), 'Partner ' || n, '2025-10-01', 1, case when n % 500 = 0 then 1 else 0 end,
            case when n % 500 = 1 then null else ${NOW} end,
            case when n % 500 = 2 then null when n % 500 = 3 then 'mid_1' else 'mid_2' end, ${NOW} + n from ${NUMBERS}`,
  );
  await run(
    `insert into partner (id, name, integration_started_on, is_new, suspended, created_at)
     values ('${BUSY_PARTNER}', 'Busy', '2025-10-01', 1, 0, 1)`,
  );
  await run(
    `insert into note (id, subject, at, author, text)
     select 'not_' || n, ${rare('par_rare', 'par_1')}, ${NOW} + n, 'Ann', 'note' from ${NUMBERS}`,
  );
  await run(`insert into grant_set (id, grants) values ('set', '[]')`);
  await run(
    `insert into audit (id, at, actor, action, subject)
     select 'aud_' || n, ${NOW} + n, ${rare('Zoe (tok_zoe)', 'Ann (tok_ann)')},
            ${rare('key.revoke', 'key.update')}, ${rare('par_rare', 'par_1')} from ${NUMBERS}`,
  );
  await run(
    `insert into audit (id, at, actor, action, subject)
     select 'aud_p' || n, ${NOW} + n,
            ${rare(portalActor({ id: RARE_PARTNER, name: 'Rare' }), portalActor({ id: BUSY_PARTNER, name: 'Busy' }))},
            'delivery.retry', 'del_' || n from ${NUMBERS}`,
  );
  await run(
    `insert into audit_partner (partner_id, at, audit_id, deliveries)
     select ${rare(RARE_PARTNER, BUSY_PARTNER)}, at, id, 1
       from audit join ${NUMBERS} on id = 'aud_p' || n`,
  );
  // Each partner is an actor, too.
  await run(
    `insert into audit (id, at, actor, action, subject)
     select 'aud_o' || n, ${NOW} + n, 'Partner ' || n || ' (portal par_' || (10000000 + n) || '${'0'.repeat(20)})',
            'portal.sign_in', 'par_' || n from ${NUMBERS}`,
  );
  await run(
    `insert into api_key (key_id, partner_id, sealed_key, digest, disabled, grant_set, created_at,
                          expires_at, revoked_at, last_used_on)
     select 'key_' || n, ${rare('par_rare', 'par_1')}, '', '', case when n % 500 = 1 then 1 else 0 end,
            'set', ${NOW} + n, case when n % 10 = 0 then null else ${NOW} + n end,
            case when n % 500 = 2 then ${NOW} end,
            case when n % 500 = 3 then ${NOW - 100 * 86_400_000} else ${NOW} end
       from ${NUMBERS}`,
  );
  await run(
    `insert into midoffice (id, name, url, signing_key_id, body_form, delivery_order, max_in_flight,
                            paused, failing_since, created_at)
     select 'mid_' || n, 'Midoffice', '', 'key_1', 'data', 'any', 16, case when n = 1 then 1 else 0 end,
            case when n = 2 then ${NOW} end, ${NOW} + n from ${NUMBERS}`,
  );
  await run(
    `insert into test_event (midoffice_id, at, actor, outcome, attempt)
     select 'mid_' || n, ${NOW}, 'Ann', ${rare('failed', 'delivered')}, '{}' from ${NUMBERS}`,
  );
  await run(
    `insert into delivery (event_id, type, partner_id, partner_order_id, midoffice_id, accepted_at)
     select 'event-' || n, ${rare('cancelled', 'created')}, 'par_1', 'order-' || n, 'mid_1', ${NOW} + n
       from ${NUMBERS}`,
  );
  for (const table of ['usage_hour', 'usage_day']) {
    await run(
      `insert into ${table} (key_id, at, endpoint, admitted, refused, failed, peak_calls, peak_share)
       select 'key_' || n, ${NOW} + n, 'api/b2b/v3/overview/', 1, 0, 0, 1, 0.5 from ${NUMBERS}`,
    );
  }
  await run(
    `insert into recorded_call (request_id, at, key_id, partner_id, signed_in, endpoint, code, status, address,
                                duration_ms, sampled_from)
     select 'request_' || n, ${NOW} + n, ${rare('key_rare', 'key_1')}, ${rare('par_rare', 'par_1')}, 1,
            ${rare('api/b2b/v3/overview/', 'api/b2b/v3/search/hp/')},
            ${rare('unknown', 'endpoint_exceeded_limit')}, 429, ${rare('192.0.2.99', '192.0.2.1')}, 1, 1
       from ${NUMBERS}`,
  );
  // The rare ones are in the newer half and in the older one.
  const rareHere = 'n in (1, 4999)';
  await run(
    `insert into notice (id, partner_id, kind, cause, at, facts)
     select 'ntc_' || ${padded}, case when ${rareHere} then 'par_rare' else 'par_1' end,
            case when ${rareHere} then 'url_changed' when n in (2, 4998) then 'key_rotated' else 'limit_reached' end,
            'cause ' || n, ${NOW} + n, '{}' from ${NUMBERS}`,
  );
  await run(
    `insert into mail (id, partner_id, notice_id, recipient, created_at, due_at, tries, sent_at)
     select 'mai_' || n, 'par_1', 'ntc_' || ${padded}, 'ann@partner.example', ${NOW} + n,
            case when n % 250 = 0 then ${NOW} end, 1, case when n % 250 > 1 then ${NOW} end from ${NUMBERS}`,
  );
  await run(
    `insert into given_up (seq, midoffice_id, state, at, acknowledged_at)
     select seq, 'mid_1', 'exhausted', ${NOW}, case when seq % 250 = 0 then null else ${NOW} end
       from delivery`,
  );
  // The embedded engine has no statistics in production either.
  if (isPostgres(db)) await run('analyze');
}
