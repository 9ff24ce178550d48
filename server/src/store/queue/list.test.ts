import { expect, test } from 'vitest';
import { describeOnEachDatabase, NOW } from '../../../testing/queue-database.ts';
import { deliveryStates } from '../../delivery/states.ts';
import { type DeliverySearch, findDeliveries, findStates } from './list.ts';

describeOnEachDatabase('the list of deliveries', (fresh) => {
  test('applies every filter, alone and together, newest first', async () => {
    const queue = await fresh();
    type Described = Required<
      Omit<DeliverySearch, 'only' | 'beforeOrderId' | 'failure_code' | 'status_class'>
    > &
      Pick<DeliverySearch, 'failure_code' | 'status_class'>;
    const all: { seq: number; state: string; search: Described }[] = [];
    for (const midoffice_id of ['mid_one', 'mid_two']) {
      for (const partner_order_id of ['a%', 'b_1']) {
        for (const type of ['created', 'updated'] as const) {
          const accepted_at = NOW + all.length;
          const fact = {
            midoffice_id,
            partner_id: `par ${midoffice_id}`,
            partner_order_id,
            type,
            accepted_at,
          };
          const isAnswered = type === 'created';
          const seqs = await queue.oneOfEach(fact, isAnswered ? '503' : 'timeout');
          await queue.attempt(seqs.delivered, 1, { outcome: 'delivered' });
          for (const state of deliveryStates) {
            const seq = seqs[state];
            const hasFailed = state !== 'delivered' && state !== 'unrouted';
            const failureCode = isAnswered ? ('status' as const) : ('timeout' as const);
            const failedClass = isAnswered ? ('5xx' as const) : ('no_answer' as const);
            const otherClass = state === 'delivered' ? ('2xx' as const) : undefined;
            const search = {
              state,
              midoffice_id,
              partner_id: `par ${midoffice_id}`,
              partner_order_id,
              partner_order_id_prefix: partner_order_id.slice(0, 1),
              type,
              failure_code: hasFailed ? failureCode : undefined,
              status_class: hasFailed ? failedClass : otherClass,
              sinceMs: accepted_at,
              untilMs: accepted_at,
              beforeSeq: seq + 1,
              seqs: [seq, seq - 7],
            };
            all.push({ seq, state, search });
          }
        }
      }
    }
    const agrees = (one: (typeof all)[number], wanted: DeliverySearch) =>
      (Object.keys(wanted) as (keyof Described)[]).every((field) => {
        const value = wanted[field] as never;
        if (value === undefined) return true;
        if (field === 'seqs') return wanted.seqs?.includes(one.seq);
        if (field === 'sinceMs') return one.search.sinceMs >= value;
        if (field === 'untilMs') return one.search.untilMs <= value;
        if (field === 'beforeSeq') return one.seq < value;
        if (field === 'midoffice_id' && one.state === 'unrouted') return false;
        return one.search[field] === value;
      });
    const sample = all.slice(15, 20).map(({ search }) => search);
    for (const search of sample) {
      const fields = Object.keys(search) as (keyof Described)[];
      // Each field with itself, and each two once.
      const pairs = fields.flatMap((one, n) => fields.slice(n).map((other) => [one, other]));
      for (const some of [[], fields, ...pairs]) {
        const wanted = Object.fromEntries(some.map((field) => [field, search[field]]));
        const found = await findDeliveries(queue.db, wanted, 100);
        const expected = all.filter((one) => agrees(one, wanted)).map(({ seq }) => seq);
        expect({ wanted, seqs: found.map(({ seq }) => seq) }).toEqual({
          wanted,
          seqs: expected.sort((a, b) => b - a),
        });
      }
    }
    const page = await findDeliveries(queue.db, { state: 'pending' }, 3);
    expect(page.map(({ seq }) => seq)).toEqual(
      all
        .filter(({ state }) => state === 'pending')
        .map(({ seq }) => seq)
        .slice(-3)
        .reverse(),
    );
  });

  test('finds what is left to do, with every other filter', async () => {
    const queue = await fresh();
    const one = await queue.oneOfEach({ partner_id: 'par_x' }, '503');
    const other = await queue.oneOfEach({ partner_order_id: 'other', midoffice_id: 'mid_two' });
    const acknowledged = await queue.givenUp('exhausted', {}, { acknowledged_at: NOW });
    const found = async (search: DeliverySearch) => {
      const rows = await findDeliveries(queue.db, search, 100);
      const states = await findStates(queue.db, search, 100);
      expect(states.map(({ seq, state }) => ({ seq, state }))).toEqual(
        rows.map(({ seq, state }) => ({ seq, state })),
      );
      return rows.map(({ seq }) => seq).sort((a, b) => a - b);
    };
    const but = ({ delivered, ...rest }: typeof one) => Object.values(rest);
    const only = 'undelivered';
    expect(await found({ only })).toEqual([...but(one), ...but(other), acknowledged]);
    expect(await found({ only, partner_id: 'par_x' })).toEqual(but(one));
    expect(await found({ only, partner_order_id_prefix: 'oth' })).toEqual(but(other));
    expect(await found({ only, state: 'delivered' })).toEqual([]);
    expect(await found({ only, state: 'pending' })).toEqual([one.pending, other.pending]);
    expect(await found({ only, status_class: '5xx' })).toEqual([
      one.pending,
      one.exhausted,
      one.cancelled,
    ]);
    expect(await found({ only: 'unacknowledged' })).toEqual([one.exhausted, other.exhausted]);
    expect(await found({ only: 'unacknowledged', midoffice_id: 'mid_two' })).toEqual([
      other.exhausted,
    ]);
    expect(await found({ only: 'unacknowledged', partner_id: 'par_x' })).toEqual([one.exhausted]);
    expect(await found({ only: 'unacknowledged', state: 'cancelled' })).toEqual([]);
  });

  test('finds orders by the beginning of their id, in pages, in descending order of the ids', async () => {
    const queue = await fresh();
    const orders = [
      'A-1',
      'A-1',
      'A-10',
      'A-2',
      'A%',
      'A',
      'a-1',
      'B',
      'Ä-1',
      'A-\u{1f600}',
      'A-\uffee',
    ];
    const seqs = new Map<number, string>();
    for (const partner_order_id of orders) {
      seqs.set(await queue.delivery({ partner_order_id }), partner_order_id);
    }
    const inPages = async (prefix: string) => {
      const found: string[] = [];
      let position = {};
      for (;;) {
        const search = { partner_order_id_prefix: prefix, ...position };
        const page = await findDeliveries(queue.db, search, 2);
        found.push(...page.map(({ partner_order_id }) => partner_order_id));
        const last = page.at(-1);
        if (!last) return found;
        position = { beforeSeq: last.seq, beforeOrderId: last.partner_order_id };
      }
    };
    expect(await inPages('A-')).toEqual(['A-\u{1f600}', 'A-\uffee', 'A-2', 'A-10', 'A-1', 'A-1']);
    expect(await inPages('A-1')).toEqual(['A-10', 'A-1', 'A-1']);
    expect(await inPages('A%')).toEqual(['A%']);
    expect(await inPages('A_')).toEqual([]);
    expect(await inPages('Ä')).toEqual(['Ä-1']);
    expect(await inPages('a')).toEqual(['a-1']);
  });

  test('finds a delivery by how its last attempt ended, whatever became of it', async () => {
    const queue = await fresh();
    const other = { partner_order_id: 'other' };
    const results = ['199', '200', '301', '404', '500', '599', '600', 'dns', 'timeout', 'unknown'];
    const seqs = new Map<string, number[]>();
    for (const last_result of results) {
      seqs.set(last_result, [
        await queue.pending({ last_result }),
        await queue.givenUp('exhausted', other, { last_result }),
      ]);
    }
    const delivered = await queue.delivery();
    await queue.attempt(delivered, 1, { outcome: 'delivered' });
    await queue.pending();
    await queue.delivery({ midoffice_id: null });
    const found = async (search: DeliverySearch) => {
      const rows = await findDeliveries(queue.db, search, 100);
      return rows.map(({ seq }) => seq).sort((a, b) => a - b);
    };
    const of = (...some: string[]) => some.flatMap((result) => seqs.get(result) ?? []);
    expect(await found({ status_class: '2xx' })).toEqual([...of('200'), delivered]);
    expect(await found({ status_class: '3xx' })).toEqual(of('301'));
    expect(await found({ status_class: '5xx' })).toEqual(of('500', '599'));
    expect(await found({ status_class: 'no_answer' })).toEqual(of('dns', 'timeout', 'unknown'));
    expect(await found({ failure_code: 'status' })).toEqual(
      of('199', '301', '404', '500', '599', '600'),
    );
    expect(await found({ failure_code: 'dns' })).toEqual(of('dns'));
    expect(await found({ failure_code: 'status', status_class: '4xx' })).toEqual(of('404'));
    expect(await found({ failure_code: 'dns', status_class: '4xx' })).toEqual([]);
    expect(await found({ status_class: '5xx', state: 'pending' })).toEqual([
      of('500')[0],
      of('599')[0],
    ]);
    expect(await found({ status_class: '5xx', partner_order_id_prefix: 'oth' })).toEqual([
      of('500')[1],
      of('599')[1],
    ]);
  });
});
