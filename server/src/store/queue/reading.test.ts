/** What support and housekeeping read from the queue. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  MIDOFFICE,
  NOW,
  QueueDatabase,
} from '../../../testing/queue-database.ts';
import type { RetentionCursor } from '../../delivery/housekeeping.ts';
import { SHARDS, shardOf } from '../../delivery/queue.ts';
import { insertNote } from '../records/notes.ts';
import { pendingOf, readBacklog } from './backlog.ts';
import { countGivenUp, pickGivenUp } from './given-up.ts';
import { type DeliverySearch, findDeliveries } from './list.ts';
import { countInFlight, ownerOf, readOwners } from './owners.ts';
import { deliveryStates, readDelivery } from './read-deliveries.ts';
import { DELETED_AT_ONCE, deleteSettledBefore } from './retention.ts';
import { queueVerbs } from './verbs.ts';

const LATER = NOW + 60_000;
const HOUR = 3_600_000;

describeOnEachDatabase('reading', (fresh, engine) => {
  async function oneOfEach(
    queue: QueueDatabase,
    fact: object = {},
    last_result: string | null = null,
  ) {
    return {
      pending: await queue.pending({ due_at: LATER, last_result }, fact),
      delivered: await queue.delivery(fact),
      exhausted: await queue.givenUp('exhausted', fact, { last_result }),
      cancelled: await queue.givenUp('cancelled', fact, { last_result }),
      unrouted: await queue.delivery({ ...fact, midoffice_id: null }),
    };
  }

  describe('a delivery', () => {
    test('has the state of the table it is found in', async () => {
      const queue = await fresh();
      const seqs = await oneOfEach(queue);
      for (const state of deliveryStates) {
        expect(await readDelivery(queue.db, seqs[state])).toMatchObject({ state });
      }
      expect(await readDelivery(queue.db, 77_777)).toBeUndefined();
    });

    test('that is pending has its due time, schedule and attempts', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: NOW, scheduled_at: LATER, retries_used: 2 });
      await queue.attempt(seq, 1);
      await queue.attempt(seq, 3);
      expect(await readDelivery(queue.db, seq)).toMatchObject({
        dueAtMs: NOW,
        scheduledAtMs: LATER,
        retriesUsed: 2,
        attemptsMade: 3,
        settledAtMs: null,
      });
    });

    test('that is parked has no due time', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: null, order_key: 'par_one order' });
      expect(await readDelivery(queue.db, seq)).toMatchObject({ state: 'pending', dueAtMs: null });
    });

    test('was settled at the end of its last attempt, or when it was given up', async () => {
      const queue = await fresh();
      const { delivered, exhausted, cancelled, unrouted } = await oneOfEach(queue);
      for (const seq of [delivered, exhausted, cancelled]) {
        await queue.attempt(seq, 1, { started_at: NOW - 800 });
        await queue.attempt(seq, 2, { started_at: NOW - 700, duration_ms: 30 });
      }
      const settledAt = async (seq: number) => (await readDelivery(queue.db, seq))?.settledAtMs;
      expect(await settledAt(delivered)).toBe(NOW - 670);
      expect(await settledAt(exhausted)).toBe(NOW - 500);
      expect(await settledAt(cancelled)).toBe(NOW - 500);
      expect(await settledAt(unrouted)).toBeNull();
    });
  });

  describe('the list', () => {
    test('applies every filter, alone and together, newest first', async () => {
      const queue = await fresh();
      type Described = Required<
        Omit<DeliverySearch, 'beforeOrderId' | 'failureCode' | 'statusClass'>
      > &
        Pick<DeliverySearch, 'failureCode' | 'statusClass'>;
      const all: { seq: number; state: string; search: Described }[] = [];
      for (const midofficeId of ['mid_one', 'mid_two']) {
        for (const partnerOrderId of ['a%', 'b_1']) {
          for (const type of ['created', 'updated'] as const) {
            const accepted_at = NOW + all.length;
            const fact = {
              midoffice_id: midofficeId,
              partner_id: `par ${midofficeId}`,
              partner_order_id: partnerOrderId,
              type,
              accepted_at,
            };
            const isAnswered = type === 'created';
            const seqs = await oneOfEach(queue, fact, isAnswered ? '503' : 'timeout');
            for (const state of deliveryStates) {
              const seq = seqs[state];
              const hasFailed = state !== 'delivered' && state !== 'unrouted';
              const failureCode = isAnswered ? ('status' as const) : ('timeout' as const);
              const failedClass = isAnswered ? ('5xx' as const) : ('no_answer' as const);
              const otherClass = state === 'delivered' ? ('2xx' as const) : undefined;
              const search = {
                state,
                midofficeId,
                partnerId: `par ${midofficeId}`,
                partnerOrderId,
                partnerOrderIdPrefix: partnerOrderId.slice(0, 1),
                type,
                failureCode: hasFailed ? failureCode : undefined,
                statusClass: hasFailed ? failedClass : otherClass,
                sinceMs: accepted_at,
                untilMs: accepted_at,
                beforeSeq: seq + 1,
                seqs: [seq, seq - 7],
              };
              all.push({ seq, state, search });
            }
          }
        }
      }
      const agrees = (one: (typeof all)[number], wanted: DeliverySearch) =>
        (Object.keys(wanted) as (keyof Described)[]).every((field) => {
          const value = wanted[field] as never;
          if (value === undefined) return true;
          if (field === 'seqs') return wanted.seqs?.includes(one.seq);
          if (field === 'sinceMs') return one.search.sinceMs >= value;
          if (field === 'untilMs') return one.search.untilMs <= value;
          if (field === 'beforeSeq') return one.seq < value;
          if (field === 'midofficeId' && one.state === 'unrouted') return false;
          return one.search[field] === value;
        });
      const sample = all.slice(15, 20).map(({ search }) => search);
      for (const search of sample) {
        const fields = Object.keys(search) as (keyof Described)[];
        const pairs = fields.flatMap((one) => fields.map((other) => [one, other] as const));
        for (const some of [[], fields, ...pairs]) {
          const wanted = Object.fromEntries(some.map((field) => [field, search[field]]));
          const found = await findDeliveries(queue.db, wanted, 100);
          const expected = all.filter((one) => agrees(one, wanted)).map(({ seq }) => seq);
          expect({ wanted, seqs: found.map(({ seq }) => seq) }).toEqual({
            wanted,
            seqs: expected.sort((a, b) => b - a),
          });
        }
      }
      const page = await findDeliveries(queue.db, { state: 'pending' }, 3);
      expect(page.map(({ seq }) => seq)).toEqual(
        all
          .filter(({ state }) => state === 'pending')
          .map(({ seq }) => seq)
          .slice(-3)
          .reverse(),
      );
    });

    test('finds orders by the beginning of their id, in pages, in descending order of the ids', async () => {
      const queue = await fresh();
      const orders = [
        'A-1',
        'A-1',
        'A-10',
        'A-2',
        'A%',
        'A',
        'a-1',
        'B',
        'Ä-1',
        'A-\u{1f600}',
        'A-\uffee',
      ];
      const seqs = new Map<number, string>();
      for (const partner_order_id of orders) {
        seqs.set(await queue.delivery({ partner_order_id }), partner_order_id);
      }
      const inPages = async (prefix: string) => {
        const found: string[] = [];
        let position = {};
        for (;;) {
          const search = { partnerOrderIdPrefix: prefix, ...position };
          const page = await findDeliveries(queue.db, search, 2);
          found.push(...page.map(({ partner_order_id }) => partner_order_id));
          const last = page.at(-1);
          if (!last) return found;
          position = { beforeSeq: last.seq, beforeOrderId: last.partner_order_id };
        }
      };
      expect(await inPages('A-')).toEqual(['A-\u{1f600}', 'A-\uffee', 'A-2', 'A-10', 'A-1', 'A-1']);
      expect(await inPages('A-1')).toEqual(['A-10', 'A-1', 'A-1']);
      expect(await inPages('A%')).toEqual(['A%']);
      expect(await inPages('A_')).toEqual([]);
      expect(await inPages('Ä')).toEqual(['Ä-1']);
      expect(await inPages('a')).toEqual(['a-1']);
    });

    test('finds a delivery by how its last attempt ended, whatever became of it', async () => {
      const queue = await fresh();
      const other = { partner_order_id: 'other' };
      const results = [
        '199',
        '200',
        '301',
        '404',
        '500',
        '599',
        '600',
        'dns',
        'timeout',
        'unknown',
      ];
      const seqs = new Map<string, number[]>();
      for (const last_result of results) {
        seqs.set(last_result, [
          await queue.pending({ last_result }),
          await queue.givenUp('exhausted', other, { last_result }),
        ]);
      }
      const delivered = await queue.delivery();
      await queue.pending();
      await queue.delivery({ midoffice_id: null });
      const found = async (search: DeliverySearch) => {
        const rows = await findDeliveries(queue.db, search, 100);
        return rows.map(({ seq }) => seq).sort((a, b) => a - b);
      };
      const of = (...some: string[]) => some.flatMap((result) => seqs.get(result) ?? []);
      expect(await found({ statusClass: '2xx' })).toEqual([...of('200'), delivered]);
      expect(await found({ statusClass: '3xx' })).toEqual(of('301'));
      expect(await found({ statusClass: '5xx' })).toEqual(of('500', '599'));
      expect(await found({ statusClass: 'no_answer' })).toEqual(of('dns', 'timeout', 'unknown'));
      expect(await found({ failureCode: 'status' })).toEqual(
        of('199', '301', '404', '500', '599', '600'),
      );
      expect(await found({ failureCode: 'dns' })).toEqual(of('dns'));
      expect(await found({ failureCode: 'status', statusClass: '4xx' })).toEqual(of('404'));
      expect(await found({ failureCode: 'dns', statusClass: '4xx' })).toEqual([]);
      expect(await found({ statusClass: '5xx', state: 'pending' })).toEqual([
        of('500')[0],
        of('599')[0],
      ]);
      expect(await found({ statusClass: '5xx', partnerOrderIdPrefix: 'oth' })).toEqual([
        of('500')[1],
        of('599')[1],
      ]);
    });
  });

  describe('the backlog', () => {
    test('is counted in total, for one midoffice and for several', async () => {
      const queue = await fresh();
      expect(await readBacklog(queue.db)).toEqual({ pending: 0, oldestAtMs: null });
      await oneOfEach(queue, { accepted_at: NOW - 5 });
      await queue.pending({ due_at: null }, { accepted_at: NOW - 3 });
      await queue.pending({}, { midoffice_id: 'mid_two', accepted_at: NOW - 9 });
      expect(await readBacklog(queue.db)).toEqual({ pending: 3, oldestAtMs: NOW - 5 });
      const ofTwo = { pending: 1, oldestAtMs: NOW - 9 };
      expect(await readBacklog(queue.db, 'mid_two')).toEqual(ofTwo);
      expect(await readBacklog(queue.db, 'mid_none')).toEqual({ pending: 0, oldestAtMs: null });
      expect(await pendingOf(queue.db, [MIDOFFICE.id, 'mid_two', 'mid_none'])).toEqual(
        new Map([
          [MIDOFFICE.id, 2],
          ['mid_two', 1],
        ]),
      );
      expect(await pendingOf(queue.db, [])).toEqual(new Map());
    });
  });

  describe('deliveries to recover', () => {
    test('are found oldest first, for this midoffice and for partners that have it now', async () => {
      const queue = await fresh();
      for (const [id, midoffice_id] of [
        ['par_one', MIDOFFICE.id],
        ['par_two', 'mid_two'],
      ]) {
        const partner = { id, name: '', integration_started_on: '', is_new: 0, suspended: 0 };
        await queue.db
          .insertInto('partner')
          .values({ ...partner, midoffice_id, created_at: 0 } as never)
          .execute();
      }
      const seqs = [];
      for (const [at, fact] of [
        [NOW - 10, {}],
        [NOW, {}],
        [NOW + 10, {}],
        [NOW, { midoffice_id: 'mid_two', partner_id: 'par_two' }],
      ] as const) {
        const { pending, delivered, ...wanted } = await oneOfEach(queue, {
          ...fact,
          accepted_at: at,
        });
        seqs.push(Object.values(wanted).sort((a, b) => a - b));
      }
      const which = { midofficeId: MIDOFFICE.id, sinceMs: NOW, untilMs: NOW };
      const wanted = seqs[1] as number[];
      expect(await pickGivenUp(queue.db, which, 0, 10)).toEqual(wanted);
      expect(await pickGivenUp(queue.db, which, 0, 2)).toEqual(wanted.slice(0, 2));
      expect(await pickGivenUp(queue.db, which, wanted[1] as number, 2)).toEqual(wanted.slice(2));
      expect(await countGivenUp(queue.db, which)).toBe(3);
      expect(await countGivenUp(queue.db, { ...which, sinceMs: 0, untilMs: LATER })).toBe(9);
    });
  });

  describe('retention', () => {
    const cutoff = NOW - HOUR;
    const old = { accepted_at: cutoff - 1 };

    async function round(queue: QueueDatabase): Promise<number> {
      let cursor: RetentionCursor | undefined;
      for (let batches = 1; ; batches++) {
        cursor = await deleteSettledBefore(queue.db, cutoff, cursor);
        if (!cursor) return batches;
      }
    }

    async function leftOf(queue: QueueDatabase): Promise<number[]> {
      const rows = await queue.db.selectFrom('delivery').select('seq').orderBy('seq').execute();
      return rows.map(({ seq }) => seq);
    }

    test('deletes deliveries settled before the cut-off with all their rows', async () => {
      const queue = await fresh();
      const young = await oneOfEach(queue, { accepted_at: cutoff });
      const { pending, exhausted, cancelled, ...gone } = await oneOfEach(queue, old);
      await queue.attempt(gone.delivered, 1, { started_at: cutoff - 1 });
      const longGivenUp = await queue.givenUp('exhausted', old, { at: cutoff - 1 });
      await queue.attempt(longGivenUp, 1, { started_at: cutoff - 1 });
      const attemptedSince = await queue.delivery(old);
      await queue.attempt(attemptedSince, 1, { started_at: cutoff - 1 });
      await queue.attempt(attemptedSince, 2, { started_at: cutoff });
      const notes = [`del_${longGivenUp}`, `del_${attemptedSince}`, 'par_one'];
      for (const subject of notes) {
        const id = `not_${subject}`;
        await insertNote(queue.db, { id, subject, at: NOW, author: 'Ann', text: 'x' });
      }
      await round(queue);
      const noted = await queue.db
        .selectFrom('note')
        .select('subject')
        .orderBy('subject')
        .execute();
      expect(noted.map(({ subject }) => subject)).toEqual(notes.slice(1));
      const stay = [...Object.values(young), pending, exhausted, cancelled, attemptedSince];
      expect(await leftOf(queue)).toEqual(stay.sort((a, b) => a - b));
      const attempts = await queue.db.selectFrom('attempt').select('delivery_seq').execute();
      expect(attempts.map((row) => row.delivery_seq)).toEqual([attemptedSince, attemptedSince]);
      expect(await queue.givenUpOf(longGivenUp)).toBeUndefined();
      expect(await queue.givenUpOf(exhausted)).toBeDefined();
    });

    test('looks at deliveries that must stay only once per round', async () => {
      const queue = await fresh();
      await queue.db.transaction().execute(async (transaction) => {
        const inside = new QueueDatabase(transaction);
        for (let n = 0; n < DELETED_AT_ONCE + 10; n++) await inside.pending({}, old);
        for (let n = 0; n < 10; n++) await inside.delivery(old);
      });
      expect(await round(queue)).toBe(2);
      expect(await leftOf(queue)).toHaveLength(DELETED_AT_ONCE + 10);
    });

    test.runIf(engine === 'postgres')(
      'keeps one that support queues again at that moment',
      async () => {
        const queue = await fresh();
        const seq = await queue.givenUp('exhausted', old, { at: cutoff - 1 });
        const queued = Promise.withResolvers<void>();
        const end = Promise.withResolvers<void>();
        const retrying = queue.db.transaction().execute(async (transaction) => {
          await queueVerbs(transaction, NOW, async () => {}).retry(seq, MIDOFFICE);
          queued.resolve();
          await end.promise;
        });
        await queued.promise;
        const deleting = round(queue);
        for (;;) {
          const { rows } = await sql`
            select 1 from pg_stat_activity
             where wait_event_type = 'Lock' and datname = current_database()`.execute(queue.db);
          if (rows.length > 0) break;
          await sleep(1);
        }
        end.resolve();
        await Promise.all([retrying, deleting]);
        expect(await readDelivery(queue.db, seq)).toMatchObject({ state: 'pending' });
      },
    );
  });

  describe('the list of owners', () => {
    test('counts only leases that have not ended', async () => {
      const queue = await fresh();
      const { db } = queue;
      const forEver = Number.MAX_SAFE_INTEGER;
      const own = shardOf(MIDOFFICE.id);
      const other = (own + 1) % SHARDS;
      expect(await readOwners(db, NOW)).toEqual({
        nodes: [],
        unowned: Array.from({ length: SHARDS }, (_, n) => n),
      });
      expect(await ownerOf(db, MIDOFFICE.id, NOW)).toBeNull();
      await db
        .insertInto('delivery_node')
        .values([
          { id: 'one', host: 'alpha', since: NOW - 2, until: forEver },
          { id: 'two', host: 'beta', since: NOW - 1, until: forEver },
          { id: 'dead', host: 'gamma', since: NOW - 3, until: NOW - 1 },
        ])
        .execute();
      const lease = (n: number, node: string, until: number, in_flight: number) =>
        db.updateTable('shard').set({ node, until, in_flight }).where('n', '=', n).execute();
      await lease(own, 'one', forEver, 3);
      await lease(other, 'one', forEver, 4);
      await lease((own + 2) % SHARDS, 'dead', NOW - 1, 5);
      const { nodes, unowned } = await readOwners(db, NOW);
      expect(nodes).toEqual([
        {
          id: 'one',
          host: 'alpha',
          sinceMs: NOW - 2,
          shards: [own, other].sort((a, b) => a - b),
          inFlight: 7,
        },
        { id: 'two', host: 'beta', sinceMs: NOW - 1, shards: [], inFlight: 0 },
      ]);
      expect(unowned).toHaveLength(SHARDS - 2);
      expect(unowned).not.toContain(own);
      expect(await ownerOf(db, MIDOFFICE.id, NOW)).toBe('one');
      expect(await countInFlight(db, NOW)).toBe(7);
    });
  });
});
