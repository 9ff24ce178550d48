import { expect, test } from 'vitest';
import { shareQueue } from '../../../testing/conformance/queue/setup.ts';
import { describeOnEachStore } from '../../../testing/delivery-rig.ts';
import { outcomeOf } from '../../../testing/queue-owner.ts';
import { getCase } from './case.ts';

describeOnEachStore('a case with many rehearsals', (newDatabase) => {
  const open = shareQueue(newDatabase);

  async function withOrder(order: string) {
    const { rig, owner, midoffice } = await open();
    rig.clock.advance(60_000);
    const [id = '', other = ''] = await rig.accept(midoffice, [order, `other than ${order}`]);
    return {
      async rehearse(count: number, delivery = id) {
        const after = { url: 'https://new.example/', webhooks: [`${delivery} 200 1ms`] };
        await rig.store.change('Ann', async ({ audit }) => {
          for (let n = 0; n < count; n++) {
            await audit('midoffice.rehearse', midoffice.id, null, after);
          }
        });
      },
      other,
      /** What is done an hour later is no longer near. */
      async settle() {
        await owner.settle(await owner.begin({ [midoffice.id]: 2 }), 'delivered');
        rig.clock.advance(3_600_000);
      },
      async shown() {
        const { environment } = rig;
        const { items, is_complete } = await getCase({ environment, environments: [] }, order);
        const rehearsed = items.filter(({ sentence }) => sentence.includes('rehearsal'));
        return { rehearsals: rehearsed.length, is_complete };
      },
    };
  }

  test('is complete with 100, each of them once', async () => {
    const { rehearse, shown } = await withOrder('often');
    await rehearse(100);
    expect(await shown()).toEqual({ rehearsals: 100, is_complete: true });
    await rehearse(1);
    expect(await shown()).toEqual({ rehearsals: 100, is_complete: false });
  });

  test('says that it may not be complete when others hide some of its own', async () => {
    const { settle, rehearse, shown, other } = await withOrder('once');
    await settle();
    await rehearse(1);
    expect(await shown()).toEqual({ rehearsals: 1, is_complete: true });
    await rehearse(101, other);
    expect(await shown()).toMatchObject({ is_complete: false });
  });
});

describeOnEachStore('a case of a receiver that answered at once', (newDatabase) => {
  const open = shareQueue(newDatabase);

  test('begins with what was accepted and ends with what became of it', async () => {
    const { rig, owner, midoffice } = await open();
    const [id] = await rig.accept(midoffice, ['at once']);
    const due = await owner.begin({ [midoffice.id]: 1 });
    const outcomes = due.map((one) => outcomeOf(one, rig.clock.now(), 'delivered'));
    for (const { attempt } of outcomes) attempt.duration_ms = 0;
    await owner.settleEach(outcomes);
    const { environment } = rig;
    const { items } = await getCase({ environment, environments: [] }, 'at once');
    const ofDelivery = items.filter(({ subject }) => subject === id);
    expect(new Set(ofDelivery.map(({ at }) => at)).size).toBe(1);
    const kinds = ofDelivery.map(({ kind }) => kind);
    expect(kinds).toEqual(['accepted', 'routed', 'attempt', 'delivered']);
  });
});
