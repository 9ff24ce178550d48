/** A search for deliveries stays fast however many there are: no filter reads the whole table. */
import { CompiledQuery, createQueryId, type KyselyPlugin, type RootOperationNode } from 'kysely';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { describeOnEachStore, Rig, type TestMidoffice } from '../../../testing/delivery-rig.ts';
import type { SupportEnvironment } from '../environment.ts';
import type { PageRequest } from '../page.ts';
import { changeDeliveries } from './change-deliveries.ts';
import type { DeliveryFilter } from './list-deliveries.ts';
import { listDeliveries } from './list-deliveries.ts';

const ORDERS = 20_000;
/** After an order in the middle. */
const CURSOR = `del_500.${Buffer.from('order 5').toString('base64url')}`;

describeOnEachStore('the search for deliveries', (newDatabase, engine) => {
  let rig: Rig;
  let rare: TestMidoffice;
  let usual: TestMidoffice;

  beforeAll(async () => {
    rig = await Rig.open(await newDatabase(), { atEnd: () => {} });
    usual = await rig.midoffice('http://127.0.0.1:9/');
    rare = await rig.midoffice('http://127.0.0.1:9/');
    for (let n = 0; n < ORDERS; n += 1_000) {
      // Not at the end, where every list begins.
      if (n === ORDERS - 1_000) await cancelUnrouted(2_000);
      await rig.accept(
        usual,
        Array.from({ length: 1_000 }, (_, i) => `order ${n + i}`),
      );
      rig.clock.advance(60_000);
    }
    await rig.accept(rare, ['rare 1', 'rare 2']);
    await rig.store.db
      .updateTable('partner')
      .set({ midoffice_id: null })
      .where('id', '=', rare.partnerId)
      .execute();
    await rig.accept(rare, ['unrouted']);
    // All are delivered except a few of each other state, spread over the history.
    const { db } = rig.store;
    const few = (every: number) => Array.from({ length: 20 }, (_, n) => (n + 1) * every);
    await db.deleteFrom('pending').where('seq', 'not in', few(995)).execute();
    for (const [state, every] of [
      ['exhausted', 702],
      ['cancelled', 904],
    ] as const) {
      const rows = few(every).map((seq, n) => ({
        seq,
        midoffice_id: usual.id,
        state,
        at: 0,
        last_result: n % 2 === 0 ? '503' : 'timeout',
      }));
      await db.insertInto('given_up').values(rows).execute();
    }
    // PostgreSQL does this by itself after a while. SQLite never does.
    if (engine === 'postgres') {
      for (const table of ['delivery', 'pending', 'given_up', 'attempt']) {
        await db.executeQuery(CompiledQuery.raw(`vacuum analyze ${table}`));
      }
    }
  });
  afterAll(() => rig?.close());

  async function cancelUnrouted(count: number): Promise<void> {
    const { db } = rig.store;
    const { partnerId } = await rig.midoffice('http://127.0.0.1:9/');
    await db
      .updateTable('partner')
      .set({ midoffice_id: null })
      .where('id', '=', partnerId)
      .execute();
    for (let n = 0; n < count; n += 1_000) {
      const orders = Array.from({ length: 1_000 }, (_, i) => `cancelled ${n + i}`);
      const ids = await rig.accept({ partnerId }, orders);
      const bulk = { action: 'cancel', filter: { ids }, expected: ids.length } as const;
      expect(await changeDeliveries(rig.environment, 'test', bulk)).toEqual({ changed: 1_000 });
    }
  }

  /** Every statement that the search runs. */
  async function statementsOf(filter: DeliveryFilter & PageRequest): Promise<CompiledQuery[]> {
    const asked: CompiledQuery[] = [];
    const { db } = rig.store;
    const listening: KyselyPlugin = {
      transformQuery({ node }) {
        asked.push(db.getExecutor().compileQuery(node as RootOperationNode, createQueryId()));
        return node;
      },
      transformResult: async ({ result }) => result,
    };
    const listened: SupportEnvironment = {
      ...rig.environment,
      store: { ...rig.store, db: db.withPlugin(listening) },
    };
    await listDeliveries(listened, filter);
    expect(asked.length).toBeGreaterThan(0);
    return asked;
  }

  async function explained<T>(how: string, { sql, parameters }: CompiledQuery): Promise<T[]> {
    const plan = CompiledQuery.raw(`${how} ${sql}`, [...parameters]);
    return (await rig.store.db.executeQuery<T>(plan)).rows;
  }

  async function plansOf(filter: DeliveryFilter & PageRequest): Promise<string[]> {
    return Promise.all(
      (await statementsOf(filter)).map(async (statement) => {
        const rows = await explained<{ detail: string }>('explain query plan', statement);
        return rows.map((row) => row.detail).join('\n');
      }),
    );
  }

  /** How many rows each statement reads on PostgreSQL, including those that do not match. */
  async function rowsRead(filter: DeliveryFilter & PageRequest): Promise<number[]> {
    return Promise.all(
      (await statementsOf(filter)).map(async (statement) => {
        type Explained = { 'QUERY PLAN': [{ Plan: PlanNode }] };
        const [row] = await explained<Explained>('explain (analyze, format json)', statement);
        return readBy((row as Explained)['QUERY PLAN'][0].Plan);
      }),
    );
  }

  const since = new Date(Date.UTC(2026, 0, 31, 12, 10)).toISOString();
  const until = new Date(Date.UTC(2026, 0, 31, 12, 12)).toISOString();
  const filters: [string, () => DeliveryFilter & PageRequest][] = [
    ['nothing', () => ({})],
    ['a state of which there are many', () => ({ state: 'delivered' })],
    ['pending', () => ({ state: 'pending' })],
    ['exhausted', () => ({ state: 'exhausted' })],
    ['cancelled', () => ({ state: 'cancelled' })],
    ['unrouted', () => ({ state: 'unrouted' })],
    ['unrouted of a partner', () => ({ state: 'unrouted', partner_id: rare.partnerId })],
    ['a midoffice', () => ({ midoffice_id: usual.id })],
    ['a midoffice that has few', () => ({ midoffice_id: rare.id })],
    ['a partner', () => ({ partner_id: usual.partnerId })],
    ['a partner that has few', () => ({ partner_id: rare.partnerId })],
    ['an order', () => ({ partner_order_id: 'order 77' })],
    ['the beginning of many orders', () => ({ partner_order_id_prefix: 'order 1' })],
    ['the beginning of few orders', () => ({ partner_order_id_prefix: 'rare' })],
    [
      'the beginning of all orders, in a state',
      () => ({ partner_order_id_prefix: 'order', state: 'exhausted' }),
    ],
    ['a later page of such orders', () => ({ partner_order_id_prefix: 'order', cursor: CURSOR })],
    ['a failure', () => ({ failure_code: 'timeout' })],
    ['a class of answers', () => ({ status_class: '5xx' })],
    ['the class of most answers', () => ({ status_class: '2xx' })],
    ['no answer, of a midoffice', () => ({ status_class: 'no_answer', midoffice_id: usual.id })],
    ['a type', () => ({ type: 'updated' })],
    ['a time', () => ({ since, until })],
    ['since', () => ({ since })],
    ['until', () => ({ until })],
    ['what a midoffice gave up', () => ({ midoffice_id: usual.id, state: 'exhausted' })],
    ['what waits for a midoffice', () => ({ midoffice_id: rare.id, state: 'pending' })],
    ['an order of a partner', () => ({ partner_id: usual.partnerId, partner_order_id: 'order 5' })],
    ['an order of a midoffice', () => ({ midoffice_id: usual.id, partner_order_id: 'order 5' })],
    ['a midoffice in a time', () => ({ midoffice_id: rare.id, since, until })],
    ['a state in a time', () => ({ state: 'exhausted', since, until })],
    ['a later page', () => ({ cursor: 'del_500' })],
    ['a later page of a midoffice', () => ({ midoffice_id: rare.id, cursor: 'del_500' })],
  ];

  test.each(filters)('by %s uses an index', async (_name, filter) => {
    if (engine === 'postgres') {
      // A page, and the deliveries accepted within the minute by which clocks may differ.
      for (const read of await rowsRead(filter())) expect(read).toBeLessThan(1_500);
      return;
    }
    for (const plan of await plansOf(filter())) {
      // Reading the table backwards until the page is full counts as an index.
      for (const line of plan.split('\n')) {
        expect(line).toMatch(
          /^(SEARCH \w+ USING |SCAN (delivery|pending|given_up)( USING (COVERING )?INDEX |$)|SCAN (picked|together|part_\d)$|USE TEMP B-TREE|(MATERIALIZE|CO-ROUTINE|CORRELATED SCALAR SUBQUERY|COMPOUND QUERY|LEFT-MOST SUBQUERY|UNION ALL|MERGE|LEFT|RIGHT)\b)/,
        );
      }
      expect(plan).not.toMatch(/SCAN delivery\n(?!.*SCAN (picked|part_0)).*B-TREE/s);
    }
  });

  test.skipIf(engine === 'postgres').each(filters.filter(([name]) => name.startsWith('an order')))(
    'by %s reads the index of orders',
    async (_name, filter) => {
      const plans = (await plansOf(filter())).join('\n');
      expect(plans).toMatch(/delivery_by_order/);
      expect(plans).not.toMatch(/delivery_by_(partner|midoffice)/);
    },
  );

  const selective = filters.filter(([name]) =>
    /few|an order|failure|gave up|waits|pending|exhausted|cancelled|unrouted/.test(name),
  );
  for (const [name, filter] of selective) {
    test(`by ${name} reads no more rows than it finds`, async () => {
      if (engine === 'postgres') {
        for (const read of await rowsRead(filter())) expect(read).toBeLessThanOrEqual(250);
      } else {
        expect((await plansOf(filter())).join('\n')).not.toMatch(/SCAN delivery$/m);
      }
    });
  }

  test('by unrouted does not read those that were cancelled', async () => {
    const { items } = await listDeliveries(rig.environment, { state: 'unrouted' });
    expect(items.map(({ partner_order_id }) => partner_order_id)).toEqual(['unrouted']);
    if (engine === 'sqlite') {
      const [plan] = await plansOf({ state: 'unrouted' });
      expect(plan).toContain('USING INDEX delivery_without_midoffice');
    }
  });

  // Of a million deliveries, PostgreSQL would read half. Of as few as here, it would not.
  test('by a state in a time bounds the numbers in both tables', async () => {
    for (const state of ['pending', 'exhausted'] as const) {
      const statements = await statementsOf({ state, since, until });
      const table = state === 'pending' ? 'pending' : 'given_up';
      for (const bounded of [`"${table}"."seq"`, '"delivery"."seq"']) {
        for (const bound of ['>=', '<=']) {
          expect(statements.at(-1)?.sql).toContain(`${bounded} ${bound} `);
        }
      }
    }
  });

  test.each([
    ['pending', 'retries_used, attempts_made, shard', '0, 0, 0'],
    ['given_up', 'state, at', "'exhausted', 0"],
  ] as const)(
    'a partner that has few reads only its own, however many there are in %s',
    async (table, columns, values) => {
      const { db } = rig.store;
      const run = (text: string) => db.executeQuery(CompiledQuery.raw(text));
      await run('create table kept as select seq from delivery where midoffice_id is not null');
      await run(`delete from kept where seq in (select seq from ${table})`);
      await run(
        `insert into ${table} (seq, midoffice_id, ${columns})
         select seq, midoffice_id, ${values} from delivery where seq in (select seq from kept)`,
      );
      onTestFinished(async () => {
        await run(`delete from ${table} where seq in (select seq from kept)`);
        await run('drop table kept');
      });
      await run(`analyze ${table}`);
      const state = table === 'pending' ? 'pending' : 'exhausted';
      const filter = { state, partner_id: rare.partnerId } as const;
      const { items } = await listDeliveries(rig.environment, filter);
      expect(items.map(({ partner_order_id }) => partner_order_id)).toEqual(['rare 2', 'rare 1']);
      if (engine === 'postgres') {
        for (const read of await rowsRead(filter)) expect(read).toBeLessThan(20);
      } else {
        const first = /^CO-ROUTINE picked\nSEARCH delivery USING .*delivery_by_partner/;
        expect((await plansOf(filter)).at(-1)).toMatch(first);
      }
    },
  );
});

interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  Plans?: PlanNode[];
}

function readBy(node: PlanNode): number {
  const each =
    node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0);
  const own = node['Relation Name'] === 'delivery' ? each * node['Actual Loops'] : 0;
  return (node.Plans ?? []).reduce((sum, inner) => sum + readBy(inner), own);
}
