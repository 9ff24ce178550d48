import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Facts, judge, type StoredEvent } from './judge.ts';
import type { OrderEventInput, Verdict } from './order-event.ts';

const PARTNERS = new Map<string, string | null>([
  ['routed', 'mid_1'],
  ['unrouted', null],
]);
const MIDOFFICES = new Map([
  ['mid_1', false],
  ['mid_2', true],
]);

/** A Map as the store: events judged as new are in it from then on. */
class Stored {
  readonly events = new Map<string, StoredEvent>();
  readonly facts: Facts = {
    midofficeOf: (id) => PARTNERS.get(id),
    isOrdered: (id) => MIDOFFICES.get(id),
    stored: (id) => this.events.get(id),
  };

  accept(requests: OrderEventInput[][]): Verdict[] {
    const { rows, verdicts } = judge(requests, this.facts);
    for (const row of rows) this.events.set(row.event_id, { ...row, seq: this.events.size + 1 });
    return verdicts((id) => this.events.get(id)?.seq as number);
  }
}

const event: fc.Arbitrary<OrderEventInput> = fc.record(
  {
    event_id: fc.constantFrom('a', 'b', 'c', 'd'),
    type: fc.constantFrom('created', 'updated'),
    partner_id: fc.constantFrom('routed', 'routed', 'routed', 'unrouted', 'unknown'),
    partner_order_id: fc.constantFrom('1', '1', '1', '2'),
    agreement_number: fc.constant('A'),
    status: fc.constant('S'),
    midoffice_id: fc.constantFrom('mid_1', 'mid_2', 'mid_none'),
  },
  { requiredKeys: ['event_id', 'type', 'partner_id', 'partner_order_id'] },
);

test('requests judged together get the same verdicts as one after another', () => {
  fc.assert(
    fc.property(
      fc.array(fc.array(event, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      fc.nat(6),
      (requests, split) => {
        const together = new Stored();
        const one = new Stored();
        const grouped = [
          ...together.accept(requests.slice(0, split)),
          ...together.accept(requests.slice(split)),
        ];
        expect(grouped).toEqual(requests.flatMap((request) => one.accept([request])));
        expect([...together.events]).toEqual([...one.events]);
      },
    ),
  );
});

test('accepts all events of a request or none', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 6 }), (request) => {
      const store = new Stored();
      const [verdict] = store.accept([request]) as [Verdict];
      if ('rejection' in verdict) {
        expect(store.events.size).toBe(0);
        expect(request[verdict.rejection.index]).toBeDefined();
      } else {
        expect(verdict.results.map(({ event_id }) => event_id)).toEqual(
          request.map(({ event_id }) => event_id),
        );
        expect(store.events.size).toBe(new Set(request.map(({ event_id }) => event_id)).size);
      }
    }),
  );
});

const BASE: OrderEventInput = {
  event_id: 'a',
  type: 'updated',
  partner_id: 'routed',
  partner_order_id: '1',
};

test.each<[string, Partial<OrderEventInput>]>([
  ['type', { type: 'cancelled' }],
  ['partner', { partner_id: 'unrouted' }],
  ['order', { partner_order_id: '2' }],
  ['agreement number', { agreement_number: 'A' }],
  ['status', { status: 'S' }],
  ['midoffice, though it comes to the same', { midoffice_id: 'mid_1' }],
])(
  'an id reused with another %s is refused, before and after the first is stored',
  (_name, difference) => {
    const store = new Stored();
    const other = { ...BASE, ...difference };
    const refused = { rejection: { index: 1, reason: 'event_id_reused' } };
    expect(store.accept([[BASE, other]])).toEqual([refused]);
    expect(store.accept([[BASE], [BASE, other]])).toMatchObject([
      { results: [{ outcome: 'queued' }] },
      refused,
    ]);
    expect(store.accept([[BASE, other]])).toEqual([refused]);
  },
);

test('an event stays a duplicate after its partner got a midoffice', () => {
  const store = new Stored();
  const unrouted = { ...BASE, partner_id: 'unrouted' };
  const none = { event_id: 'a', delivery_id: null };
  expect(store.accept([[unrouted]])).toEqual([{ results: [{ ...none, outcome: 'no_midoffice' }] }]);
  PARTNERS.set('unrouted', 'mid_2');
  expect(store.accept([[unrouted]])).toEqual([{ results: [{ ...none, outcome: 'duplicate' }] }]);
  PARTNERS.set('unrouted', null);
});
