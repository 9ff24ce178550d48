import { expect, test } from 'vitest';
import { seqOf, shareQueue, URL } from '../../testing/conformance/queue/setup.ts';
import { describeOnEachStore } from '../../testing/delivery-rig.ts';
import { ReadTimedOut } from '../base/database-errors.ts';
import { newestAudit } from './audit/queries.ts';
import { changeInBatches } from './in-batches.ts';

describeOnEachStore('a change in batches', (newDatabase) => {
  const open = shareQueue(newDatabase);

  async function cancelling(lookAt: (tries: number) => void) {
    const { rig } = await open();
    const { store } = rig;
    const midoffice = await rig.midoffice(URL);
    const seqs = (await rig.accept(midoffice, ['a', 'b', 'c'])).map(seqOf);
    let tries = 0;
    const changing = changeInBatches(store, 'Ann', {
      ...{ action: 'deliveries.cancel', subject: 'deliveries', seqs },
      async find(batch) {
        lookAt(++tries);
        return batch.map((seq) => ({ seq, state: 'pending' as const }));
      },
      change: (queue, found) => queue.cancelMany(found),
      after: (changed) => ({ changed }),
    });
    const audited = async () => {
      const [entry] = await newestAudit(store.db, { limit: 1 }, { action: 'deliveries.cancel' });
      return JSON.parse(entry?.after ?? 'null');
    };
    return { changing, audited };
  }

  test('looks again if what its caller reads beside it took too long', async () => {
    const { changing, audited } = await cancelling((tries) => {
      if (tries < 3) throw new ReadTimedOut();
    });
    expect(await changing).toBe(3);
    expect(await audited()).toEqual({ changed: 3, done: true });
  });

  test('gives up at once for any other reason', async () => {
    const { changing } = await cancelling(() => {
      throw new Error('broken');
    });
    await expect(changing).rejects.toThrow('broken');
  });
});
