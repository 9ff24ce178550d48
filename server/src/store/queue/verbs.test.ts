import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  MIDOFFICE,
  NOW,
  type QueueDatabase,
} from '../../../testing/queue-database.ts';
import { shardOf } from '../../delivery/queue.ts';
import { readDelivery } from './read-deliveries.ts';
import { queueVerbs } from './verbs.ts';

const LATER = NOW + 60_000;
const ORDERED = { ...MIDOFFICE, ordered: true };
const ORDER = 'par_one order';

/** As a delivery is queued that was settled before. */
const queuedAgain = {
  shard: shardOf(MIDOFFICE.id),
  midoffice_id: MIDOFFICE.id,
  order_key: null,
  due_at: NOW,
  retries_used: 0,
  attempts_made: 0,
  scheduled_at: null,
  asked_at: NOW,
  last_key: null,
};

describeOnEachDatabase('support’s verbs', (fresh, engine) => {
  const stateOf = async ({ db }: QueueDatabase, seq: number) =>
    (await readDelivery(db, seq))?.state;

  describe('retry', () => {
    test('brings one that waits forward; the schedule goes on when it was due', async () => {
      const queue = await fresh();
      const used = { retries_used: 3, attempts_made: 4, last_key: 'key' };
      const seq = await queue.pending({ due_at: LATER, ...used });
      const before = await queue.rowOf(seq);
      expect(await queue.change((verbs) => verbs.retry(seq, MIDOFFICE))).toBe(true);
      const after = { ...before, due_at: NOW, scheduled_at: LATER, asked_at: NOW };
      expect(await queue.rowOf(seq)).toEqual(after);
      expect(queue.told).toEqual([MIDOFFICE.id]);
    });

    test('is told apart from the one before, even within a millisecond', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: LATER });
      for (const asked_at of [NOW, NOW + 1, NOW + 2]) {
        await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
        expect(await queue.rowOf(seq)).toMatchObject({ asked_at, scheduled_at: LATER });
      }
    });

    test('of a parked one only notes that it was asked for', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: null, order_key: ORDER });
      const before = await queue.rowOf(seq);
      await queue.change((verbs) => verbs.retry(seq, ORDERED));
      expect(await queue.rowOf(seq)).toEqual({ ...before, asked_at: NOW });
      expect(queue.told).toEqual([MIDOFFICE.id]);
    });

    test.each(['delivered', 'exhausted', 'cancelled'] as const)(
      'of a %s one queues it with a whole schedule',
      async (state) => {
        const queue = await fresh();
        const seq = await (state === 'delivered' ? queue.delivery() : queue.givenUp(state));
        await queue.attempt(seq, 1);
        await queue.attempt(seq, 2);
        expect(await stateOf(queue, seq)).toBe(state);
        expect(await queue.change((verbs) => verbs.retry(seq, ORDERED))).toBe(true);
        const row = { ...queuedAgain, seq, attempts_made: 2, order_key: ORDER };
        expect(await queue.rowOf(seq)).toEqual(row);
        expect(await queue.givenUpOf(seq)).toBeUndefined();
        expect(queue.told).toEqual([MIDOFFICE.id]);
      },
    );

    test('of an unrouted one gives it the midoffice', async () => {
      const queue = await fresh();
      const seq = await queue.delivery({ midoffice_id: null });
      expect(await stateOf(queue, seq)).toBe('unrouted');
      await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
      expect(await queue.rowOf(seq)).toEqual({ ...queuedAgain, seq });
      expect(await readDelivery(queue.db, seq)).toMatchObject({
        state: 'pending',
        midoffice_id: MIDOFFICE.id,
      });
    });

    test('of one that is gone queues nothing', async () => {
      const queue = await fresh();
      expect(await queue.change((verbs) => verbs.retry(77, MIDOFFICE))).toBe(false);
      expect(await queue.rowOf(77)).toBeUndefined();
      expect(queue.told).toEqual([]);
    });

    test.each(['delivered', 'exhausted', 'unrouted'])(
      'twice at once of a %s one',
      async (state) => {
        const queue = await fresh();
        for (let round = 0; round < 10; round++) {
          const seq =
            state === 'exhausted'
              ? await queue.givenUp(state)
              : await queue.delivery(state === 'unrouted' ? { midoffice_id: null } : {});
          await Promise.all(
            [1, 2, 3].map(() => queue.change((verbs) => verbs.retry(seq, MIDOFFICE))),
          );
          // The first queued it, the others asked again.
          expect(await queue.rowOf(seq)).toEqual({
            ...queuedAgain,
            seq,
            scheduled_at: NOW,
            asked_at: NOW + 2,
          });
        }
      },
    );

    test('after a cancellation within the same millisecond has a value of its own', async () => {
      const queue = await fresh();
      const seq = await queue.pending();
      const asked = new Set<number | null | undefined>();
      for (let round = 0; round < 3; round++) {
        for (let again = 0; again < 2; again++) {
          await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
          asked.add((await queue.rowOf(seq))?.asked_at);
        }
        await queue.change((verbs) => verbs.cancel(seq));
      }
      expect(asked.size).toBe(6);
    });
  });

  describe('cancel', () => {
    test('gives up one that waits', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: LATER, asked_at: NOW - 5 });
      const other = await queue.pending({ due_at: LATER });
      expect(await queue.change((verbs) => verbs.cancel(seq))).toBe(true);
      expect(await queue.rowOf(seq)).toBeUndefined();
      const row = { seq, midoffice_id: MIDOFFICE.id, state: 'cancelled', at: NOW, why: null };
      expect(await queue.givenUpOf(seq)).toEqual(row);
      expect(await queue.dueOf([other])).toEqual([LATER]);
      expect(queue.told).toEqual([MIDOFFICE.id]);
    });

    test('does nothing to one that is settled, unrouted or gone', async () => {
      const queue = await fresh();
      const seqs = [
        await queue.delivery(),
        await queue.givenUp('exhausted'),
        await queue.givenUp('cancelled'),
        await queue.delivery({ midoffice_id: null }),
        77,
      ];
      for (const seq of seqs) {
        const before = await queue.givenUpOf(seq);
        expect(await queue.change((verbs) => verbs.cancel(seq))).toBe(false);
        expect(await queue.givenUpOf(seq)).toEqual(before);
      }
      expect(queue.told).toEqual([]);
    });

    /** Of one order: the head waits for its retry, the others for the head. */
    async function orderOf(queue: QueueDatabase, length: number, orderId = 'order') {
      const seqs: number[] = [];
      for (let n = 0; n < length; n++) {
        const row = { due_at: n === 0 ? LATER : null, order_key: `par_one ${orderId}` };
        seqs.push(await queue.pending(row, { partner_order_id: orderId }));
      }
      return seqs as [number, number, number, number];
    }

    test('of the head frees exactly the next of its order', async () => {
      const queue = await fresh();
      const one = await orderOf(queue, 4);
      const other = await orderOf(queue, 2, 'other');
      await queue.change((verbs) => verbs.cancel(one[0]));
      expect(await queue.dueOf(one)).toEqual([undefined, NOW, null, null]);
      expect(await queue.dueOf(other)).toEqual([LATER, null]);
      await queue.change((verbs) => verbs.cancel(one[1]), NOW + 1);
      expect(await queue.dueOf(one)).toEqual([undefined, undefined, NOW + 1, null]);
    });

    test('of a follower frees the next, which its owner parks again, and nothing else', async () => {
      const queue = await fresh();
      const seqs = await orderOf(queue, 4);
      await queue.change((verbs) => verbs.cancel(seqs[1]));
      expect(await queue.dueOf(seqs)).toEqual([LATER, undefined, NOW, null]);
      await queue.change((verbs) => verbs.cancel(seqs[3]));
      expect(await queue.dueOf(seqs)).toEqual([LATER, undefined, NOW, undefined]);
    });

    test('of several of one order at once leaves nobody parked without one before it', async () => {
      const queue = await fresh();
      for (let round = 0; round < 30; round++) {
        const seqs = await orderOf(queue, 4, `order ${round}`);
        await Promise.all(
          seqs.slice(0, 3).map((seq) => queue.change((verbs) => verbs.cancel(seq))),
        );
        expect(await queue.dueOf(seqs)).toEqual([undefined, undefined, undefined, NOW]);
      }
    });

    test('twice at once is done once', async () => {
      const queue = await fresh();
      const seq = await queue.pending();
      const done = await Promise.all([1, 2].map(() => queue.change((verbs) => verbs.cancel(seq))));
      expect(done.sort()).toEqual([false, true]);
    });
  });

  describe('requeue', () => {
    test('queues what was given up or had no midoffice, and leaves the rest', async () => {
      const queue = await fresh();
      const waiting = await queue.pending({ due_at: LATER, retries_used: 5 });
      const before = await queue.rowOf(waiting);
      const delivered = await queue.delivery();
      const exhausted = await queue.givenUp('exhausted');
      await queue.attempt(exhausted, 22);
      const cancelled = await queue.givenUp('cancelled', {}, NOW);
      const unrouted = await queue.delivery({ midoffice_id: null });
      const seqs = [unrouted, waiting, delivered, exhausted, cancelled, 777];
      expect(await queue.change((verbs) => verbs.requeue(seqs, ORDERED))).toBe(3);
      expect(await queue.rowOf(waiting)).toEqual(before);
      expect(await queue.rowOf(delivered)).toBeUndefined();
      const row = { ...queuedAgain, order_key: ORDER };
      expect(await queue.rowOf(exhausted)).toEqual({ ...row, seq: exhausted, attempts_made: 22 });
      // Later than its cancellation: what was under way then must not be taken for this.
      expect(await queue.rowOf(cancelled)).toEqual({ ...row, seq: cancelled, asked_at: NOW + 1 });
      expect(await queue.rowOf(unrouted)).toEqual({ ...row, seq: unrouted });
      for (const seq of [exhausted, cancelled]) expect(await queue.givenUpOf(seq)).toBeUndefined();
      expect(await stateOf(queue, unrouted)).toBe('pending');
      expect(new Set(queue.told)).toEqual(new Set([MIDOFFICE.id]));
    });

    test('of nothing tells nobody', async () => {
      const queue = await fresh();
      const delivered = await queue.delivery();
      for (const seqs of [[], [delivered]]) {
        expect(await queue.change((verbs) => verbs.requeue(seqs, MIDOFFICE))).toBe(0);
      }
      expect(queue.told).toEqual([]);
    });

    test('twice at once, beside retries, queues each once', async () => {
      const queue = await fresh();
      const seqs: number[] = [];
      for (let n = 0; n < 40; n++)
        seqs.push(await queue.givenUp(n % 2 ? 'exhausted' : 'cancelled'));
      const counts = await Promise.all([
        queue.change((verbs) => verbs.requeue(seqs, MIDOFFICE)),
        queue.change((verbs) => verbs.requeue([...seqs].reverse(), MIDOFFICE)),
        ...seqs.slice(0, 3).map(async (seq) => {
          await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
          return 0;
        }),
      ]);
      const queued = counts.reduce((sum, count) => sum + count, 0);
      expect(queued).toBeGreaterThanOrEqual(37);
      expect(queued).toBeLessThanOrEqual(40);
      expect(await queue.dueOf(seqs)).toEqual(seqs.map(() => NOW));
      expect(await queue.db.selectFrom('given_up').selectAll().execute()).toEqual([]);
    });
  });

  describe('fast-forward', () => {
    test('makes one that waits due, as the schedule’s own attempt', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: LATER, retries_used: 2 });
      const before = await queue.rowOf(seq);
      expect(await queue.change((verbs) => verbs.fastForward(seq, 2))).toBe(true);
      expect(await queue.rowOf(seq)).toEqual({ ...before, due_at: NOW });
      expect(queue.told).toEqual([MIDOFFICE.id]);
    });

    test('leaves one that is due, parked, settled, or that changed meanwhile', async () => {
      const queue = await fresh();
      const seqs = [
        await queue.pending({ due_at: NOW }),
        await queue.pending({ due_at: null, order_key: ORDER }),
        await queue.pending({ due_at: LATER, retries_used: 1 }),
        await queue.givenUp('exhausted'),
        await queue.delivery(),
        77,
      ];
      for (const seq of seqs) {
        const before = await queue.rowOf(seq);
        expect(await queue.change((verbs) => verbs.fastForward(seq, 0))).toBe(false);
        expect(await queue.rowOf(seq)).toEqual(before);
      }
      expect(queue.told).toEqual([]);
    });
  });

  describe('a change of order', () => {
    test('reaches what waits for that midoffice, both ways, and frees what is parked', async () => {
      const queue = await fresh();
      const other = { midoffice_id: 'mid_other' };
      const waiting = await queue.pending({ due_at: LATER }, { partner_order_id: 'a' });
      const due = await queue.pending({ due_at: NOW - 9 }, { partner_order_id: 'b' });
      const elsewhere = await queue.pending({ due_at: null, order_key: ORDER }, other);
      const untouched = await queue.rowOf(elsewhere);
      const before = [await queue.rowOf(waiting), await queue.rowOf(due)];
      await queue.change((verbs) => verbs.restateOrder(ORDERED));
      expect(await queue.rowOf(waiting)).toEqual({ ...before[0], order_key: 'par_one a' });
      expect(await queue.rowOf(due)).toEqual({ ...before[1], order_key: 'par_one b' });
      expect(queue.told.splice(0)).toEqual([MIDOFFICE.id]);

      const parked = await queue.pending({ due_at: null, order_key: 'par_one a' });
      await queue.change((verbs) => verbs.restateOrder(MIDOFFICE));
      expect(await queue.rowOf(waiting)).toEqual(before[0]);
      expect(await queue.rowOf(due)).toEqual(before[1]);
      expect(await queue.rowOf(parked)).toMatchObject({ order_key: null, due_at: NOW });
      expect(await queue.rowOf(elsewhere)).toEqual(untouched);
      expect(queue.told.splice(0)).toEqual([MIDOFFICE.id]);

      await queue.change((verbs) => verbs.restateOrder(MIDOFFICE));
      expect(queue.told).toEqual([]);
    });

    test('leaves alone what is queued under the rule already', async () => {
      const queue = await fresh();
      const seq = await queue.pending({ due_at: null, order_key: ORDER });
      await queue.change((verbs) => verbs.restateOrder(ORDERED));
      expect(await queue.rowOf(seq)).toMatchObject({ order_key: ORDER, due_at: null });
    });
  });

  describe.runIf(engine === 'postgres')('meeting the end of an attempt', () => {
    /** A settlement in progress: it has deleted the row, and ends only when told to. */
    async function settling(queue: QueueDatabase, seq: number, givenUp: boolean) {
      const end = Promise.withResolvers<void>();
      const deleted = Promise.withResolvers<void>();
      const done = queue.db.transaction().execute(async (transaction) => {
        await transaction.deleteFrom('pending').where('seq', '=', seq).execute();
        await transaction
          .insertInto('attempt')
          .values({
            delivery_seq: seq,
            number: 1,
            started_at: NOW,
            duration_ms: 1,
            outcome: givenUp ? 'failed' : 'delivered',
            signature_timestamp: 0,
            signature_token: '',
          } as never)
          .execute();
        if (givenUp) {
          const row = { seq, midoffice_id: MIDOFFICE.id, state: 'exhausted' as const, at: NOW };
          await transaction.insertInto('given_up').values(row).execute();
        }
        deleted.resolve();
        await end.promise;
      });
      await deleted.promise;
      return async () => {
        end.resolve();
        await done;
      };
    }

    /** Until someone waits for a lock. */
    async function blocked({ db }: QueueDatabase): Promise<void> {
      for (;;) {
        const { rows } = await sql`
          select 1 from pg_stat_activity
           where wait_event_type = 'Lock' and datname = current_database()`.execute(db);
        if (rows.length > 0) return;
        await sleep(1);
      }
    }

    test.each([true, false])('a retry queues it again; given up: %s', async (givenUp) => {
      const queue = await fresh();
      const seq = await queue.pending();
      const finish = await settling(queue, seq, givenUp);
      const retried = queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
      await blocked(queue);
      await finish();
      expect(await retried).toBe(true);
      const row = await queue.rowOf(seq);
      expect(row).toMatchObject({ due_at: NOW, retries_used: 0, attempts_made: 1 });
      expect(await queue.givenUpOf(seq)).toBeUndefined();
    });

    test('a cancellation comes too late', async () => {
      const queue = await fresh();
      const seq = await queue.pending();
      const finish = await settling(queue, seq, false);
      const cancelled = queue.change((verbs) => verbs.cancel(seq));
      await blocked(queue);
      await finish();
      expect(await cancelled).toBe(false);
      expect(await stateOf(queue, seq)).toBe('delivered');
    });

    test('the next of an order is freed although the one between is cancelled at the same time', async () => {
      const queue = await fresh();
      const row = { order_key: ORDER, due_at: null };
      const head = await queue.pending({ order_key: ORDER });
      const [between, last] = [await queue.pending(row), await queue.pending(row)];
      const gone = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const cancelling = queue.db.transaction().execute(async (transaction) => {
        await queueVerbs(transaction, NOW, async () => {}).cancel(between);
        gone.resolve();
        await end.promise;
      });
      await gone.promise;
      const headCancelled = queue.change((verbs) => verbs.cancel(head));
      await blocked(queue);
      end.resolve();
      await cancelling;
      await headCancelled;
      expect(await queue.dueOf([head, between, last])).toEqual([undefined, undefined, NOW]);
    });

    test('a parking that is under way is seen by the cancellation of the one before', async () => {
      const queue = await fresh();
      const head = await queue.pending({ order_key: ORDER, due_at: LATER });
      const follower = await queue.pending({ order_key: ORDER });
      const parked = Promise.withResolvers<void>();
      const end = Promise.withResolvers<void>();
      const parking = queue.db.transaction().execute(async (transaction) => {
        await sql`
          with head as (select seq from pending where seq = ${head} for key share)
          update pending set due_at = null from head where pending.seq = ${follower}`.execute(
          transaction,
        );
        parked.resolve();
        await end.promise;
      });
      await parked.promise;
      const cancelled = queue.change((verbs) => verbs.cancel(head));
      await blocked(queue);
      end.resolve();
      await parking;
      expect(await cancelled).toBe(true);
      expect(await queue.dueOf([head, follower])).toEqual([undefined, NOW]);
    });
  });
});
