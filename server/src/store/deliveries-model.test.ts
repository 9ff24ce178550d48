/** Claims, outcomes, cancellations and retries in any order, against a model of a few lines. */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  claim,
  describeOnEachStore,
  LEASE_MS,
  outcomeOf,
  Rig,
  type TestMidoffice,
} from '../../testing/delivery-rig.ts';
import type { Claimed } from '../delivery/stages.ts';
import { deliverySeq } from '../orders/order-event.ts';
import { cancelDelivery } from '../support/cancel-delivery.ts';
import { Problem } from '../support/problem.ts';
import { retryDelivery } from '../support/retry-delivery.ts';

interface Modelled {
  id: string;
  order: string;
  state: 'pending' | 'delivered' | 'exhausted' | 'cancelled';
  dueAt: number;
  /** The claim that holds it; kept when its lease has ended, as nobody has told the store. */
  lease: Claimed | undefined;
  attempts: number;
  retriesUsed: number;
  /** Asked for while it was under way. */
  retryAsked: boolean;
}

const outcomes = fc.oneof(
  fc.constantFrom('delivered' as const, 'exhausted' as const),
  fc.record({ retryInMs: fc.integer({ min: 1, max: 40_000 }) }),
);
const which = fc.nat({ max: 30 });
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ accept: fc.array(fc.nat(2), { minLength: 1, maxLength: 3 }) }),
  },
  { weight: 4, arbitrary: fc.record({ claim: fc.integer({ min: 1, max: 4 }) }) },
  { weight: 4, arbitrary: fc.record({ settle: which, outcome: outcomes }) },
  { weight: 1, arbitrary: fc.record({ release: which }) },
  { weight: 1, arbitrary: fc.record({ cancel: which }) },
  { weight: 2, arbitrary: fc.record({ retry: which }) },
  { weight: 3, arbitrary: fc.record({ advance: fc.integer({ min: 1, max: LEASE_MS + 5_000 }) }) },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

describeOnEachStore('any sequence of what happens to deliveries', (freshPlace, engine) => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await Rig.open(await freshPlace(), { atEnd: () => {} });
  });
  afterAll(() => rig?.close());

  const runs = { numRuns: engine === 'sqlite' ? 40 : 15 };

  /** Plays the steps; `check` sees each claim with the model as it was before. */
  async function play(
    midoffice: TestMidoffice,
    steps: readonly Step[],
    check: (model: readonly Modelled[], claimed: readonly Claimed[], free: number) => void,
  ): Promise<void> {
    const model: Modelled[] = [];
    const claims: Claimed[] = [];
    const pick = <T>(list: readonly T[], n: number) => list[n % Math.max(list.length, 1)];
    const holderOf = (one: Claimed) => model.find(({ lease }) => lease === one);

    for (const step of steps) {
      const now = rig.clock.now();
      if ('accept' in step) {
        const orders = step.accept.map((n) => `order ${n}`);
        for (const [n, id] of (await rig.accept(midoffice, orders)).entries()) {
          const order = orders[n] as string;
          const fresh = {
            state: 'pending',
            lease: undefined,
            attempts: 0,
            retriesUsed: 0,
            retryAsked: false,
          } as const;
          model.push({ id, order, dueAt: now, ...fresh });
        }
      } else if ('claim' in step) {
        const { claimed } = await claim(rig, { [midoffice.id]: step.claim });
        check(model, claimed, step.claim);
        for (const one of claimed) {
          const row = model.find(({ id }) => deliverySeq(id) === one.seq) as Modelled;
          expect([one.attemptNumber, one.retriesUsed]).toEqual([row.attempts + 1, row.retriesUsed]);
          row.lease = one;
          row.dueAt = now + LEASE_MS;
          row.retryAsked = false;
          claims.push(one);
        }
      } else if ('settle' in step) {
        const one = pick(claims, step.settle);
        if (!one) continue;
        const row = holderOf(one);
        const settlement = outcomeOf(one, now, step.outcome);
        expect(await rig.store.deliveries.settle([settlement])).toEqual(row ? [] : [one.seq]);
        if (!row) continue;
        row.attempts++;
        row.lease = undefined;
        row.retriesUsed = settlement.retriesUsed;
        const follows = row.retryAsked && settlement.state !== 'delivered';
        row.retryAsked = false;
        if (follows && settlement.state === 'exhausted') row.retriesUsed = 0;
        if (row.state !== 'pending') continue;
        row.state = follows ? 'pending' : settlement.state;
        row.dueAt = follows ? 0 : (settlement.dueAtMs ?? 0);
      } else if ('release' in step) {
        const one = pick(claims, step.release);
        if (!one) continue;
        await rig.store.deliveries.release([one]);
        const row = holderOf(one);
        if (!row) continue;
        row.lease = undefined;
        row.dueAt = 0;
        row.retryAsked = false;
      } else if ('cancel' in step) {
        const row = pick(model, step.cancel);
        if (!row) continue;
        const cancelling = cancelDelivery(rig.desk, 'test', row.id);
        if (row.state === 'pending' || row.state === 'cancelled') {
          await cancelling;
          row.state = 'cancelled';
        } else {
          await expect(cancelling).rejects.toBeInstanceOf(Problem);
        }
      } else if ('retry' in step) {
        const row = pick(model, step.retry);
        if (!row) continue;
        await retryDelivery(rig.desk, 'test', row.id);
        if (row.lease && row.dueAt > now) {
          row.retryAsked = true;
        } else {
          row.lease = undefined;
          row.dueAt = now;
          if (row.state !== 'pending') row.retriesUsed = 0;
        }
        row.state = 'pending';
      } else {
        rig.clock.advance(step.advance);
      }
    }
    const shown = await Promise.all(model.map(({ id }) => rig.show(id)));
    expect(
      shown.map(({ state, in_flight, attempts_made, attempts }) => ({
        state,
        in_flight,
        attempts_made,
        attempts: attempts.map(({ number }) => number),
      })),
    ).toEqual(
      model.map(({ state, lease, attempts }) => ({
        state,
        in_flight: lease !== undefined,
        attempts_made: attempts,
        attempts: Array.from({ length: attempts }, (_, n) => n + 1),
      })),
    );
  }

  test('claims exactly what is pending and due, the longest due first', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const midoffice = await rig.midoffice('http://127.0.0.1:9/', { max_in_flight: 256 });
        await play(midoffice, steps, (model, claimed, free) => {
          const due = model
            .filter(({ state, dueAt }) => state === 'pending' && dueAt <= rig.clock.now())
            .sort((a, b) => a.dueAt - b.dueAt || seqOf(a) - seqOf(b))
            .slice(0, free);
          expect(claimed.map(({ seq }) => seq).sort(byNumber)).toEqual(
            due.map(seqOf).sort(byNumber),
          );
        });
      }),
      runs,
    );
  });

  test('never has two of one order under way, takes the earliest, and holds up none in vain', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const midoffice = await rig.midoffice('http://127.0.0.1:9/', {
          max_in_flight: 256,
          delivery_order: 'per_order',
        });
        await play(midoffice, steps, (model, claimed, free) => {
          const now = rig.clock.now();
          const taken = new Set(claimed.map(({ seq }) => seq));
          const held: string[] = [];
          for (const order of new Set(model.map((one) => one.order))) {
            const all = model.filter((one) => one.order === order);
            const pending = all.filter(({ state }) => state === 'pending');
            const mine = all.filter((one) => taken.has(seqOf(one)));
            const flying = all.filter(({ lease, dueAt }) => lease !== undefined && dueAt > now);
            expect(mine.length + (mine.length && flying.length)).toBeLessThanOrEqual(1);
            if (mine[0]) expect(mine[0]).toBe(pending[0]);
            const next = pending[0];
            // One that was never attempted waits for nothing but those before it.
            if (next?.attempts === 0 && flying.length === 0 && !mine[0]) held.push(order);
          }
          if (claimed.length < free) expect(held).toEqual([]);
        });
      }),
      runs,
    );
  });
});

const seqOf = ({ id }: Modelled) => deliverySeq(id) as number;
const byNumber = (a: number, b: number) => a - b;
