/** Verbs that meet a settlement, or each other, in the middle of a transaction on PostgreSQL. */
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  describeOnPostgres,
  LATER,
  MIDOFFICE,
  NOW,
  type QueueDatabase,
} from '../../../testing/queue-database.ts';
import { readDelivery } from './read-deliveries.ts';
import { queueVerbs } from './verbs.ts';

const ORDER = 'par_one order';

describeOnPostgres('verbs in the middle of a transaction', (fresh) => {
  /** A settlement in progress: it has deleted the row, and commits only when told to. */
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

  /** Resolves once a statement waits for a lock. */
  async function blocked({ db }: QueueDatabase): Promise<void> {
    for (;;) {
      const { rows } = await sql`
        select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`.execute(db);
      if (rows.length > 0) return;
      await sleep(1);
    }
  }

  test.each([true, false])(
    'a retry during a settlement queues the delivery again (given up: %s)',
    async (givenUp) => {
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
    },
  );

  test('a cancellation during a settlement comes too late', async () => {
    const queue = await fresh();
    const seq = await queue.pending();
    const finish = await settling(queue, seq, false);
    const cancelled = queue.change((verbs) => verbs.cancel(seq));
    await blocked(queue);
    await finish();
    expect(await cancelled).toBe(false);
    expect(await readDelivery(queue.db, seq)).toMatchObject({ state: 'delivered' });
  });

  test('the last event of an order is freed although the one in between is cancelled at the same time', async () => {
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

  test('the cancellation of an event sees a follower that is being parked', async () => {
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
