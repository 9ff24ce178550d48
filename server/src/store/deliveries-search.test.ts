/** Looking for deliveries stays quick however many there are: no filter reads the whole table. */
import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEachStore, Rig, type TestMidoffice } from '../../testing/delivery-rig.ts';
import { type DeliveryFilter, listDeliveries } from '../support/deliveries.ts';
import type { Desk } from '../support/desk.ts';

const ORDERS = 20_000;

describeOnEachStore('the search for deliveries', (freshPlace, engine) => {
  let rig: Rig;
  let rare: TestMidoffice;
  let usual: TestMidoffice;

  beforeAll(async () => {
    rig = await Rig.open(await freshPlace(), { atEnd: () => {} });
    usual = await rig.midoffice('http://127.0.0.1:9/');
    rare = await rig.midoffice('http://127.0.0.1:9/');
    for (let n = 0; n < ORDERS; n += 1_000) {
      await rig.accept(
        usual,
        Array.from({ length: 1_000 }, (_, i) => `order ${n + i}`),
      );
      rig.clock.advance(60_000);
    }
    await rig.accept(rare, ['rare 1', 'rare 2']);
    const { db } = rig.store;
    await db.updateTable('delivery').set({ state: 'delivered', due_at: null }).execute();
    const states = { exhausted: 7, cancelled: 11, pending: 13 };
    for (const [state, every] of Object.entries(states)) {
      const seqs = Array.from({ length: 20 }, (_, n) => 1 + n * every);
      await db.updateTable('delivery').set({ state }).where('seq', 'in', seqs).execute();
    }
    // PostgreSQL does so by itself after a while; SQLite never.
    if (engine === 'postgres') await db.executeQuery(CompiledQuery.raw('vacuum analyze delivery'));
  });
  afterAll(() => rig?.close());

  /** The plan of every statement that the search runs. */
  async function plansOf(filter: DeliveryFilter): Promise<string[]> {
    const asked: CompiledQuery[] = [];
    const { db } = rig.store;
    const listening: KyselyPlugin = {
      transformQuery({ node }) {
        asked.push(db.getExecutor().compileQuery(node as RootOperationNode, createQueryId()));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const desk: Desk = {
      ...rig.desk,
      store: { ...rig.store, db: db.withPlugin(listening) },
    };
    await listDeliveries(desk, filter);
    expect(asked.length).toBeGreaterThan(0);
    const explain = engine === 'sqlite' ? 'explain query plan' : 'explain';
    return Promise.all(
      asked.map(async ({ sql, parameters }) => {
        const plan = CompiledQuery.raw(`${explain} ${sql}`, [...parameters]);
        const { rows } = await db.executeQuery<Record<string, string>>(plan);
        return rows.map((row) => row.detail ?? row['QUERY PLAN']).join('\n');
      }),
    );
  }

  const since = new Date(Date.UTC(2026, 0, 31, 12, 10)).toISOString();
  const until = new Date(Date.UTC(2026, 0, 31, 12, 12)).toISOString();
  const filters: [string, () => DeliveryFilter][] = [
    ['nothing', () => ({})],
    ['a state of which there are many', () => ({ state: 'delivered' })],
    ['pending', () => ({ state: 'pending' })],
    ['exhausted', () => ({ state: 'exhausted' })],
    ['cancelled', () => ({ state: 'cancelled' })],
    ['a midoffice', () => ({ midoffice_id: usual.id })],
    ['a midoffice that has few', () => ({ midoffice_id: rare.id })],
    ['a partner', () => ({ partner_id: usual.partnerId })],
    ['a partner that has few', () => ({ partner_id: rare.partnerId })],
    ['an order', () => ({ partner_order_id: 'order 77' })],
    ['a type', () => ({ type: 'updated' })],
    ['a time', () => ({ since, until })],
    ['since', () => ({ since })],
    ['until', () => ({ until })],
    ['what a midoffice gave up', () => ({ midoffice_id: usual.id, state: 'exhausted' })],
    ['what waits for a midoffice', () => ({ midoffice_id: rare.id, state: 'pending' })],
    ['an order of a partner', () => ({ partner_id: usual.partnerId, partner_order_id: 'order 5' })],
    ['a midoffice in a time', () => ({ midoffice_id: rare.id, since, until })],
    ['a state in a time', () => ({ state: 'exhausted', since, until })],
    ['a later page', () => ({ cursor: 'del_500' })],
    ['a later page of a midoffice', () => ({ midoffice_id: rare.id, cursor: 'del_500' })],
  ];

  test.each(filters)('by %s goes by an index', async (_name, filter) => {
    for (const plan of await plansOf(filter())) {
      if (engine === 'postgres') {
        expect(plan).not.toContain('Seq Scan');
      } else {
        // Along the table from its end, until the page is full, is an index too.
        for (const line of plan.split('\n')) {
          expect(line).toMatch(
            /^(SEARCH delivery USING |SCAN delivery( USING INDEX |$)|USE TEMP B-TREE)/,
          );
        }
        expect(plan).not.toMatch(/SCAN delivery\n.*B-TREE/s);
      }
    }
  });

  const selective = filters.filter(([name]) =>
    /few|order|gave up|waits|pending|exhausted|cancelled/.test(name),
  );
  for (const [name, filter] of selective) {
    test(`by ${name} reads no more than what it finds`, async () => {
      const plans = (await plansOf(filter())).join('\n');
      if (engine === 'postgres') expect(plans).not.toContain('delivery_pkey');
      else expect(plans).not.toMatch(/SCAN delivery$/m);
    });
  }
});
