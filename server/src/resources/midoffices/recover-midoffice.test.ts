import { expect, test } from 'vitest';
import { pendingRow, shareQueue } from '../../../testing/conformance/queue/setup.ts';
import { describeOnEachStore } from '../../../testing/delivery-rig.ts';
import { Statements } from '../../../testing/statements.ts';
import type { Store } from '../../store/store.ts';
import { retryDelivery } from '../deliveries/change-delivery.ts';
import { recoverMidoffice } from './recover-midoffice.ts';

const SINCE = '2000-01-01T00:00:00Z';

/** The change of a store, and what it reads. */
function recording(store: Store) {
  const statements = new Statements();
  const recorded: Store['change'] = (actor, work) =>
    store.change(actor, (change) =>
      work({ ...change, db: change.db.withPlugin(statements) as typeof change.db }),
    );
  return { statements, recorded };
}

describeOnEachStore('recovering a midoffice', (newDatabase) => {
  const open = shareQueue(newDatabase);

  async function withGivenUp(orders: readonly string[]) {
    const opened = await open();
    const { rig, owner, midoffice } = opened;
    const ids = await rig.accept(midoffice, orders);
    await owner.settle(await owner.begin({ [midoffice.id]: orders.length }), 'exhausted');
    const { store } = rig;
    const recover = (change: Store['change'], span: object = {}) => {
      const environment = { ...rig.environment, store: { ...store, change } };
      return recoverMidoffice(environment, 'Ann', midoffice.id, { since: SINCE, ...span });
    };
    return { ...opened, ids, store, recover };
  }

  test('looks for them outside its transactions, which read only those that were found', async () => {
    const { store, recover } = await withGivenUp(['a', 'b', 'c']);
    const { statements, recorded } = recording(store);
    expect(await recover(recorded, { until: SINCE })).toEqual({ requeued: 0 });
    // `withMidoffices` and the audit have nothing to read either.
    expect(statements.all).toEqual([]);
  });

  test('reads what it has sent again only for a caller who follows it', async () => {
    const { store, ids, recover } = await withGivenUp(['a', 'b', 'c', 'd']);
    const inParts = recording(store);
    expect(await recover(inParts.recorded, { limit: 2 })).toEqual({
      requeued: 2,
      remaining: 2,
      deliveries: ids.slice(0, 2).map((id) => ({ id, attempts_made: 1 })),
    });
    const whole = recording(store);
    expect(await recover(whole.recorded)).toEqual({ requeued: 2 });
    expect(inParts.statements.all).toHaveLength(whole.statements.all.length + 1);
  });

  test('leaves alone what was sent again before its turn', async () => {
    const { rig, ids, store, recover } = await withGivenUp(['a', 'b']);
    const [first] = ids as [string];
    let before: unknown;
    const late: Store['change'] = async (actor, work) => {
      await retryDelivery(rig.environment, 'Bob', first);
      before = await pendingRow(rig, first);
      rig.clock.advance(1);
      return store.change(actor, work);
    };
    expect(await recover(late)).toEqual({ requeued: 1 });
    expect(await pendingRow(rig, first)).toEqual(before);
  });
});
