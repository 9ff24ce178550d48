/** Who is notified of new work, of changes, and of free shards. */
import { expect, test } from 'vitest';
import type { Notice } from '../../../src/delivery/queue.ts';
import {
  cancelDelivery,
  retryDelivery,
} from '../../../src/resources/deliveries/change-delivery.ts';
import { updateMidoffice } from '../../../src/resources/midoffices/change-midoffice.ts';
import { recoverMidoffice } from '../../../src/resources/midoffices/recover-midoffice.ts';
import { Condition } from '../../condition.ts';
import { type NewDatabase, Rig } from '../../delivery-rig.ts';
import { QueueOwner } from '../../queue-owner.ts';
import { ORDERED, URL } from './setup.ts';

export function noticesConformance(newDatabase: NewDatabase): void {
  /** A database, and all notices that a listener gets. */
  async function listening() {
    const rig = await Rig.open(await newDatabase());
    const heard: Notice[] = [];
    const told = new Condition();
    const stop = rig.store.queue.onNotice((notice) => {
      heard.push(notice);
      told.look();
    });
    return { rig, heard, told, stop };
  }

  function names(notice: Notice, kind: Notice['kind'], midofficeId: string): boolean {
    return (
      notice.kind === kind && 'midofficeIds' in notice && notice.midofficeIds.includes(midofficeId)
    );
  }

  test('everything that adds or changes work is announced', async () => {
    const { rig, heard, told } = await listening();
    const midoffice = await rig.midoffice(URL, ORDERED);
    async function expectNotice(
      kind: 'work' | 'changed',
      act: () => Promise<unknown>,
    ): Promise<void> {
      heard.length = 0;
      await act();
      await told.until(() => heard.some((notice) => names(notice, kind, midoffice.id)));
    }
    let ids: string[] = [];
    // Nobody owns its shard here.
    await expectNotice('work', async () => {
      ids = await rig.accept(midoffice, ['a', 'a']);
    });
    const id = ids[0] as string;
    await expectNotice('changed', () => retryDelivery(rig.environment, 'test', id));
    await expectNotice('changed', () => cancelDelivery(rig.environment, 'test', id));
    const recovery = { since: '2020-01-01T00:00:00Z' };
    await expectNotice('changed', () =>
      recoverMidoffice(rig.environment, 'test', midoffice.id, recovery),
    );
    await expectNotice('changed', () =>
      updateMidoffice(rig.environment, 'test', midoffice.id, { paused: true }),
    );
    await expectNotice('changed', () =>
      updateMidoffice(rig.environment, 'test', midoffice.id, { delivery_order: 'any' }),
    );
    await expectNotice('work', () => rig.store.queue.announce([midoffice.id]));
  });

  test('a lane without an order to keep may keep what it has read when others are queued again', async () => {
    const { rig, heard, told } = await listening();
    const midoffice = await rig.midoffice(URL);
    const [id = ''] = await rig.accept(midoffice, ['a']);
    await cancelDelivery(rig.environment, 'test', id);
    await told.until(() => heard.some((notice) => names(notice, 'changed', midoffice.id)));
    heard.length = 0;
    const recovery = { since: '2020-01-01T00:00:00Z' };
    await recoverMidoffice(rig.environment, 'test', midoffice.id, recovery);
    await told.until(() => heard.some((notice) => names(notice, 'work', midoffice.id)));
    expect(heard.filter((notice) => names(notice, 'changed', midoffice.id))).toEqual([]);
  });

  test('rows for a lane of the same node are not announced', async () => {
    const { rig, heard, told } = await listening();
    const owner = await QueueOwner.of(rig);
    const midoffice = await rig.midoffice(URL);
    heard.length = 0;
    const event = {
      event_id: 'own',
      type: 'created',
      partner_id: midoffice.partnerId,
      partner_order_id: 'order',
    } as const;
    const { work } = await rig.store.orders.accept([[event]], rig.clock.now(), owner.epochOf);
    expect(work).toHaveLength(1);
    // Notices come in the order of the commits, so it would have come before this one.
    await rig.store.queue.announce(['mid_last']);
    await told.until(() => heard.some((notice) => names(notice, 'work', 'mid_last')));
    expect(heard.filter((notice) => names(notice, 'work', midoffice.id))).toEqual([]);
  });

  test('a change that is rolled back is not announced', async () => {
    const { rig, heard, told } = await listening();
    const midoffice = await rig.midoffice(URL);
    heard.length = 0;
    await expect(
      rig.store.change('test', async ({ lanesChanged }) => {
        await lanesChanged([midoffice.id]);
        throw new Error('meant to fail');
      }),
    ).rejects.toThrow('meant to fail');
    await rig.store.queue.announce(['mid_last']);
    await told.until(() => heard.some((notice) => names(notice, 'work', 'mid_last')));
    expect(heard.filter((notice) => names(notice, 'changed', midoffice.id))).toEqual([]);
  });

  test('many midoffices can be announced at once, or none', async () => {
    const { rig, heard, told } = await listening();
    const ids = Array.from({ length: 1_000 }, (_, n) => `mid_${String(n).padStart(28, '0')}`);
    await rig.store.queue.announce([]);
    await rig.store.queue.announce(ids);
    const told_ = () =>
      new Set(heard.flatMap((notice) => ('midofficeIds' in notice ? notice.midofficeIds : [])));
    await told.until(() => told_().size === ids.length);
    expect([...told_()].sort()).toEqual(ids);
  });

  test('a listener that has unsubscribed is not called', async () => {
    const { rig, heard, told, stop } = await listening();
    const silent: Notice[] = [];
    rig.store.queue.onNotice((notice) => {
      silent.push(notice);
      told.look();
    });
    stop();
    heard.length = 0;
    await rig.store.queue.announce(['mid_1']);
    await told.until(() => silent.some((notice) => names(notice, 'work', 'mid_1')));
    expect(heard).toEqual([]);
  });
}
