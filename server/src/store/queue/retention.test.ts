import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import {
  describeOnEachDatabase,
  MIDOFFICE,
  NOW,
  QueueDatabase,
} from '../../../testing/queue-database.ts';
import type { RetentionCursor } from '../../delivery/housekeeping.ts';
import { insertNote } from '../../resources/notes/queries.ts';
import { readDelivery } from './read-deliveries.ts';
import { DELETED_AT_ONCE, deleteSettledBefore } from './retention.ts';
import { queueVerbs } from './verbs.ts';

const HOUR_MS = 3_600_000;

describeOnEachDatabase('retention', (fresh, engine) => {
  const cutoff = NOW - HOUR_MS;
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
    const young = await queue.oneOfEach({ accepted_at: cutoff });
    const { pending, exhausted, cancelled, ...gone } = await queue.oneOfEach(old);
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
    const noted = await queue.db.selectFrom('note').select('subject').orderBy('subject').execute();
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
