import { expect, test } from 'vitest';
import { describeOnEachDatabase, MIDOFFICE, NOW } from '../../../testing/queue-database.ts';
import { midofficesWithExhausted, readExhausted } from './backlog.ts';
import { readDelivery } from './read-deliveries.ts';

describeOnEachDatabase('acknowledging', (fresh) => {
  test('takes exhausted deliveries off the list of tasks, and nothing else', async () => {
    const queue = await fresh();
    const seqs = await queue.oneOfEach();
    const left = await queue.givenUp('exhausted');
    expect(await queue.change((verbs) => verbs.acknowledge(Object.values(seqs)))).toHaveLength(1);
    expect(await readDelivery(queue.db, seqs.exhausted)).toMatchObject({
      state: 'exhausted',
      acknowledged_at: NOW,
    });
    expect(await readExhausted(queue.db, 9)).toMatchObject({ exhausted: 1 });
    expect(await queue.change((verbs) => verbs.acknowledge([seqs.exhausted, 999]))).toHaveLength(0);
    expect(await queue.change((verbs) => verbs.acknowledge([left]))).toHaveLength(1);
    expect(await readExhausted(queue.db, 9)).toEqual({ exhausted: 0, oldestAtMs: null });
    expect(queue.told).toEqual([]);
  });

  test('ends when the delivery is sent again, so that it counts if it is exhausted once more', async () => {
    const queue = await fresh();
    const seq = await queue.givenUp('exhausted', {}, { acknowledged_at: NOW - 1 });
    await queue.change((verbs) => verbs.retry(seq, MIDOFFICE));
    expect(await readDelivery(queue.db, seq)).toMatchObject({
      state: 'pending',
      acknowledged_at: null,
    });
  });

  test('is counted up to a bound, of all midoffices and of one', async () => {
    const queue = await fresh();
    for (const midoffice_id of [MIDOFFICE.id, MIDOFFICE.id, MIDOFFICE.id, 'mid_two']) {
      await queue.givenUp('exhausted', { midoffice_id });
    }
    await queue.givenUp('cancelled', { midoffice_id: 'mid_three' });
    const withSome = (steps: Parameters<typeof midofficesWithExhausted>[1]) =>
      midofficesWithExhausted(queue.db, steps);
    expect(await withSome({ limit: 9 })).toEqual([MIDOFFICE.id, 'mid_two']);
    expect(await withSome({ limit: 1 })).toEqual([MIDOFFICE.id]);
    expect(await withSome({ limit: 9, after: MIDOFFICE.id })).toEqual(['mid_two']);
    expect(await withSome({ limit: 9, ascending: false })).toEqual(['mid_two', MIDOFFICE.id]);
    expect(await withSome({ limit: 9, after: 'mid_two', ascending: false })).toEqual([
      MIDOFFICE.id,
    ]);
    expect(await readExhausted(queue.db, 3)).toEqual({ exhausted: 3, oldestAtMs: NOW - 1_000 });
    expect(await readExhausted(queue.db, 9, 'mid_two')).toMatchObject({ exhausted: 1 });
    expect(await readExhausted(queue.db, 9, 'mid_three')).toMatchObject({ exhausted: 0 });
  });
});
