import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { databaseAt, describeOnEachStore, Rig } from '../../../testing/delivery-rig.ts';
import { createAccept, type LocalWorker } from './accept.ts';
import type { OrderEventInput, Verdict } from './order-event.ts';

const URL = 'http://127.0.0.1:9/hook';

function event(partnerId: string, eventId: string): OrderEventInput {
  return {
    event_id: eventId,
    type: 'created',
    partner_id: partnerId,
    partner_order_id: `order of ${eventId}`,
  };
}

/** The worker of a process that does not deliver. */
const NO_WORKER: LocalWorker<unknown> = {
  epochOf: () => undefined,
  mark: () => 0,
  handOver() {},
  isDelivering: () => false,
};

function outcomes(verdicts: readonly Verdict[]): string[] {
  return verdicts.flatMap((verdict) =>
    'results' in verdict ? verdict.results.map(({ outcome }) => outcome) : ['refused'],
  );
}

describeOnEachStore('accepting events', (newDatabase) => {
  test('stores concurrent requests in few transactions and answers each separately', async () => {
    const rig = await Rig.open(await newDatabase());
    const { partnerId } = await rig.midoffice(URL);
    const groups: number[] = [];
    const { accept } = createAccept(
      {
        accept(requests, ...args) {
          groups.push(requests.length);
          return rig.store.orders.accept(requests, ...args);
        },
      },
      NO_WORKER,
      rig.clock,
    );
    const verdicts = await Promise.all(
      Array.from({ length: 300 }, (_, n) =>
        accept([event(n % 3 === 2 ? 'par_none' : partnerId, `e${n % 150}`)]),
      ),
    );
    expect(groups).toEqual([300]);
    expect(outcomes(verdicts)).toEqual(
      Array.from({ length: 300 }, (_, n) =>
        n % 3 === 2 ? 'refused' : n < 150 ? 'queued' : 'duplicate',
      ),
    );
    const stored = await rig.store.db.selectFrom('delivery').select('event_id').execute();
    expect(stored).toHaveLength(100);
  });

  test('splits large groups into several transactions and keeps the order of arrival', async () => {
    const rig = await Rig.open(await newDatabase());
    const { partnerId } = await rig.midoffice(URL);
    const groups: number[] = [];
    const { accept } = createAccept(
      {
        accept(requests, ...args) {
          groups.push(requests.flat().length);
          return rig.store.orders.accept(requests, ...args);
        },
      },
      NO_WORKER,
      rig.clock,
    );
    const requests = Array.from({ length: 8 }, (_, n) =>
      Array.from({ length: 500 }, (_, i) => event(partnerId, `${n}-${i}`)),
    );
    await Promise.all(requests.map((events) => accept(events)));
    expect(groups).toEqual([1_000, 1_000, 1_000, 1_000]);
    const stored = await rig.store.db
      .selectFrom('delivery')
      .select('event_id')
      .orderBy('seq')
      .execute();
    expect(stored.map((row) => row.event_id)).toEqual(
      requests.flat().map(({ event_id }) => event_id),
    );
  });

  test('leaves time for attempts in progress after a transaction of many events', async () => {
    const rig = await Rig.open(await newDatabase());
    const { partnerId } = await rig.midoffice(URL);
    const order: string[] = [];
    const { accept, waiting } = createAccept(
      {
        accept(...args) {
          order.push('store');
          return rig.store.orders.accept(...args);
        },
      },
      {
        ...NO_WORKER,
        isDelivering() {
          setTimeout(() => order.push('deliver'), 0);
          return true;
        },
      },
      rig.clock,
    );
    const requests = Array.from({ length: 4 }, (_, n) =>
      Array.from({ length: 1_000 }, (_, i) => event(partnerId, `${n}-${i}`)),
    );
    const accepted = Promise.all(requests.map((events) => accept(events)));
    expect(waiting()).toBe(4_000);
    await accepted;
    expect(order.slice(0, 7)).toEqual([
      'store',
      'deliver',
      'store',
      'deliver',
      'store',
      'deliver',
      'store',
    ]);
    expect(waiting()).toBe(0);
  });

  test('rejects only the requests whose transaction failed', async () => {
    const rig = await Rig.open(await newDatabase());
    const { partnerId } = await rig.midoffice(URL);
    const broken = { ...event(partnerId, 'broken'), type: null as unknown as 'created' };
    const together = Promise.allSettled([
      rig.delivery.accept([event(partnerId, 'a')]),
      rig.delivery.accept([broken]),
    ]);
    expect((await together).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    const verdict = await rig.delivery.accept([event(partnerId, 'a'), event(partnerId, 'b')]);
    expect(outcomes([verdict])).toEqual(['queued', 'queued']);
  });

  test('works while support runs transactions of its own', async () => {
    const rig = await Rig.open(await newDatabase());
    const { partnerId } = await rig.midoffice(URL);
    const [verdicts] = await Promise.all([
      Promise.all(
        Array.from({ length: 40 }, (_, n) => rig.delivery.accept([event(partnerId, `e${n}`)])),
      ),
      // Some of them fail: only their own changes are rolled back.
      ...Array.from({ length: 20 }, (_, n) =>
        rig.store
          .change('test', async ({ audit }) => {
            await audit('test.change', 'x', null, null);
            if (n % 2) throw new Error('meant to fail');
          })
          .catch(() => {}),
      ),
    ]);
    expect(outcomes(verdicts)).toEqual(Array(40).fill('queued'));
    const { count } = await rig.store.db
      .selectFrom('delivery')
      .select((select) => select.fn.countAll().as('count'))
      .executeTakeFirstOrThrow();
    expect(Number(count)).toBe(40);
  });
});

describeWithPostgres('accepting events on several nodes', (_empty, databaseWithTables) => {
  test('stores a batch while another node stores the same events in reverse order', async () => {
    const url = await databaseWithTables();
    const rig = await Rig.open(databaseAt(url));
    const { partnerId } = await rig.midoffice(URL);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    const insert = (eventId: string) =>
      other.query(
        `insert into bellhop.delivery (event_id, type, partner_id, partner_order_id, accepted_at)
         values ($1, 'created', $2, $3, 0)`,
        [eventId, partnerId, `order of ${eventId}`],
      );
    // Each waits for the other. Ours notices the deadlock first, so PostgreSQL aborts it.
    await other.query(`set deadlock_timeout = '20s'`);
    await other.query('begin');
    await insert('b');
    const accepting = rig.delivery.accept([event(partnerId, 'a'), event(partnerId, 'b')]);
    while ((await other.query('select 1 from pg_locks where not granted')).rowCount === 0);
    await insert('a');
    await other.query('commit');
    expect(outcomes([await accepting])).toEqual(['duplicate', 'duplicate']);
  });

  test('queues one of a hundred equal events sent to several nodes', async () => {
    const url = await databaseWithTables();
    const first = await Rig.open(databaseAt(url));
    const second = await Rig.open(databaseAt(url), { clock: first.clock });
    const { partnerId } = await first.midoffice(URL);
    const verdicts = await Promise.all(
      Array.from({ length: 100 }, async (_, n) => {
        // Not all in one turn, which would combine them into two requests.
        for (let turns = n % 7; turns > 0; turns--) await new Promise(setImmediate);
        return (n % 2 ? first : second).delivery.accept([event(partnerId, 'the one')]);
      }),
    );
    expect(outcomes(verdicts).sort()).toEqual([...Array(99).fill('duplicate'), 'queued']);
  });
});
