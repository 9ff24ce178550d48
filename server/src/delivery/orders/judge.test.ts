import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
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
    midoffice_id: fc.constantFrom('mid_1', 'mid_2', 'mid_none', null),
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
  ['midoffice', { midoffice_id: 'mid_2' }],
  ['midoffice, unknown', { midoffice_id: 'mid_none' }],
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

/** The partner's midoffice from now on. */
function assign(partnerId: string, midofficeId: string | null): void {
  const before = PARTNERS.get(partnerId) as string | null;
  PARTNERS.set(partnerId, midofficeId);
  onTestFinished(() => void PARTNERS.set(partnerId, before));
}

const NAMED = { ...BASE, midoffice_id: 'mid_1' };
const SAME = { results: [{ event_id: 'a', outcome: 'duplicate', delivery_id: 'del_1' }] };
const REUSED = { rejection: { index: 0, reason: 'event_id_reused' } };

test.each([
  ['without its midoffice, then with it', BASE, NAMED],
  ['with its midoffice, then without', NAMED, BASE],
  ['without its midoffice, then with null', BASE, { ...BASE, midoffice_id: null }],
])('an event is the same %s: at once, in a batch, and later', (_name, first, second) => {
  const store = new Stored();
  expect(store.accept([[first, second], [second]])).toMatchObject([
    { results: [{ outcome: 'queued' }, { outcome: 'duplicate' }] },
    SAME,
  ]);
  expect(store.accept([[second]])).toEqual([SAME]);
  expect(store.events.size).toBe(1);
});

test('where an event went counts, not where its partner would send it by now', () => {
  const store = new Stored();
  store.accept([[BASE]]);
  assign('routed', 'mid_2');
  expect(store.accept([[BASE]])).toEqual([SAME]);
  expect(store.accept([[NAMED]])).toEqual([SAME]);
  expect(store.accept([[{ ...BASE, midoffice_id: 'mid_2' }]])).toEqual([REUSED]);
});

test('an event that named its midoffice is another one without it, if it would now go elsewhere', () => {
  const store = new Stored();
  store.accept([[NAMED]]);
  assign('routed', 'mid_2');
  expect(store.accept([[NAMED]])).toEqual([SAME]);
  expect(store.accept([[BASE]])).toEqual([REUSED]);
  assign('routed', null);
  expect(store.accept([[BASE]])).toEqual([REUSED]);
});

test('an unrouted event has a delivery, and would go to the midoffice that its partner gets', () => {
  const store = new Stored();
  const unrouted = { ...BASE, partner_id: 'unrouted' };
  const named = { ...unrouted, midoffice_id: 'mid_2' };
  const [first] = store.accept([[unrouted]]);
  expect(first).toEqual({
    results: [{ event_id: 'a', outcome: 'no_midoffice', delivery_id: 'del_1' }],
  });
  expect(store.accept([[unrouted], [named]])).toEqual([SAME, REUSED]);
  assign('unrouted', 'mid_2');
  expect(store.accept([[unrouted], [named]])).toEqual([SAME, SAME]);
  assign('unrouted', 'mid_1');
  expect(store.accept([[unrouted], [named]])).toEqual([SAME, REUSED]);
});
