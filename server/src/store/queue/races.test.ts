/**
 * Two things at once, on two nodes that share a PostgreSQL. What comes of it depends on which is
 * first; what must hold afterwards does not: nothing is lost, nothing waits for one that is gone,
 * and every attempt that was settled is recorded.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeWithPostgres } from '../../../../test/support.ts';
import { placeAt, Rig, type TestMidoffice } from '../../../testing/delivery-rig.ts';
import { expectConsistent, expectDrains } from '../../../testing/queue-checks.ts';
import { type Outcome, outcomeOf, QueueOwner } from '../../../testing/queue-owner.ts';
import type { Due, Settlement } from '../../delivery/stages.ts';
import { cancelDelivery } from '../../support/cancel-delivery.ts';
import { Problem } from '../../support/problem.ts';
import { recoverMidoffice } from '../../support/recover-midoffice.ts';
import { retryDelivery } from '../../support/retry-delivery.ts';
import { updateMidoffice } from '../../support/update-midoffice.ts';

const ORDERS = ['a', 'b'];
const RETRY = { retryInMs: 30_000 };

/** One midoffice, one owner at a time, and requests that come to either node. */
class Race {
  /** The deliveries of this round. */
  ids: string[] = [];
  readonly rigs: readonly [Rig, Rig];
  readonly midoffice: TestMidoffice;
  owner: QueueOwner;
  ordered: boolean;
  /** Delivered first to last, while only the schedule decides. */
  readonly delivered: Due[] = [];
  onlySchedule: boolean;
  #accepted = 0;
  #tokens = 0;

  constructor(
    rigs: readonly [Rig, Rig],
    midoffice: TestMidoffice,
    owner: QueueOwner,
    ordered: boolean,
  ) {
    this.rigs = rigs;
    this.midoffice = midoffice;
    this.owner = owner;
    this.ordered = ordered;
    this.onlySchedule = ordered;
  }

  rig(n: number): Rig {
    return this.rigs[n % 2] as Rig;
  }

  inFlight(n: number): Due | undefined {
    const all = [...this.owner.inFlight.values()];
    return all[n % Math.max(all.length, 1)];
  }

  async accept(orders: readonly string[], node: number): Promise<void> {
    const ids = await this.rig(node).accept(this.midoffice, orders);
    this.ids.push(...ids);
    this.#accepted += ids.length;
  }

  begin(count = 20): Promise<Due[]> {
    return this.owner.begin({ [this.midoffice.id]: count });
  }

  /** Whether it was written, an attempt is recorded; otherwise nothing is. */
  async settle(outcomes: ReadonlyMap<Due, Outcome>, owner = this.owner): Promise<void> {
    const settlements = [...outcomes].map(([due, how]): Settlement => {
      const settlement = outcomeOf(due, owner.clock.now(), how);
      settlement.attempt.signatureToken = `${this.midoffice.id} ${++this.#tokens}`;
      return settlement;
    });
    const settled = await owner.settleEach(settlements);
    for (const settlement of settlements) {
      const one = settled.find((each) => each.settlement === settlement);
      const recorded = await owner.store.db
        .selectFrom('attempt')
        .select('number')
        .where('delivery_seq', '=', settlement.due.seq)
        .where('signature_token', '=', settlement.attempt.signatureToken)
        .execute();
      expect(recorded, `recorded, as it is ${one?.state}`).toHaveLength(one ? 1 : 0);
      if (one?.state === 'delivered') this.delivered.push(settlement.due);
    }
  }

  async cancel(id: string | undefined, node: number): Promise<void> {
    if (id === undefined) return;
    await unlessRefused(cancelDelivery(this.rig(node).desk, 'test', id));
  }

  async retry(id: string | undefined, node: number): Promise<boolean> {
    this.onlySchedule = false;
    if (id === undefined) return false;
    return unlessRefused(retryDelivery(this.rig(node).desk, 'test', id));
  }

  async recover(node: number): Promise<void> {
    this.onlySchedule = false;
    const span = { since: '2020-01-01T00:00:00Z' };
    await recoverMidoffice(this.rig(node).desk, 'test', this.midoffice.id, span);
  }

  async change(node: number): Promise<void> {
    this.onlySchedule = false;
    this.ordered = !this.ordered;
    const delivery_order = this.ordered ? 'per_order' : 'any';
    await updateMidoffice(this.rig(node).desk, 'test', this.midoffice.id, { delivery_order });
  }

  /** By the other node. What the owner had under way stays under way there, for nothing. */
  async takeOver(): Promise<void> {
    const before = this.owner;
    const side = this.rigs.find((rig) => rig.store !== before.store) as Rig;
    const next = new QueueOwner(side);
    await next.takeOver(before);
    // Shards with a settlement under way are left to the next try.
    while (next.epochs.size < before.epochs.size) await next.take();
    this.owner = next;
  }

  stateOf(id: string) {
    return this.rigs[0].show(id);
  }

  async expectSound(): Promise<void> {
    await expectConsistent(this.rigs[0].store, this.midoffice.id);
    const stored = await this.rigs[0].store.db
      .selectFrom('delivery')
      .select('seq')
      .where('midoffice_id', '=', this.midoffice.id)
      .execute();
    expect(stored).toHaveLength(this.#accepted);
  }

  async expectNothingLost(): Promise<void> {
    await this.expectSound();
    if (this.onlySchedule) this.#expectInOrder();
    await expectDrains(this.owner, this.midoffice.id);
    this.ids = [];
    this.delivered.length = 0;
  }

  #expectInOrder(): void {
    for (const order of new Set(this.delivered.map(({ orderKey }) => orderKey))) {
      const seqs = this.delivered.filter((due) => due.orderKey === order).map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    }
  }
}

/** Whether it was done: support may be told that it comes too late. */
async function unlessRefused(doing: Promise<unknown>): Promise<boolean> {
  try {
    await doing;
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** All of them to their end; then the first error, if there is one. */
async function together(...doing: Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(doing);
  const failed = outcomes.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

describeWithPostgres('the queue, while two things happen at once', (freshDatabase) => {
  let rigs: [Rig, Rig];
  let owner: QueueOwner;
  beforeAll(async () => {
    const place = placeAt(await freshDatabase());
    const first = await Rig.open(place, { atEnd: () => {} });
    rigs = [first, await Rig.open(place, { clock: first.clock, atEnd: () => {} })];
    owner = await QueueOwner.of(first);
  });
  afterAll(async () => {
    for (const rig of rigs) await rig.close();
  });

  async function race(
    ordered: boolean,
    body: (race: Race) => Promise<void>,
    count = 1,
  ): Promise<void> {
    const midoffice = await rigs[0].midoffice('http://127.0.0.1:9/', {
      max_in_flight: 256,
      delivery_order: ordered ? 'per_order' : 'any',
    });
    owner.forget();
    const one = new Race(rigs, midoffice, owner, ordered);
    try {
      for (let round = 0; round < count; round++) {
        await body(one);
        await one.expectNothingLost();
      }
    } finally {
      owner = one.owner;
    }
  }

  /** The same again and again: which of them is first differs. */
  function rounds(
    name: string,
    body: (race: Race) => Promise<void>,
    { ordered = true, count = 10 } = {},
  ): void {
    test(name, async () => {
      for (let round = 0; round < count; round++) await race(ordered, body);
    }, 60_000);
  }

  async function underWay(race: Race, orders: readonly string[]): Promise<[Due, ...Due[]]> {
    await race.accept(orders, 0);
    return (await race.begin()) as [Due, ...Due[]];
  }

  for (const how of ['delivered', 'exhausted'] as const) {
    rounds(`a follower is accepted while the one before is settled: ${how}`, async (race) => {
      const [first] = await underWay(race, ['a']);
      await together(race.accept(['a', 'a'], 1), race.settle(new Map([[first, how]])));
      await race.expectSound();
      expect(await race.begin()).toHaveLength(1);
    });

    rounds(`the follower is cancelled while the one before is settled: ${how}`, async (race) => {
      const [first] = await underWay(race, ['a', 'a', 'a', 'a']);
      await together(
        race.settle(new Map([[first, how]])),
        race.cancel(race.ids[1], 1),
        race.cancel(race.ids[2], 0),
      );
      await race.expectSound();
      expect(await race.begin()).toHaveLength(1);
    });

    rounds(`due work is read while the one before is settled: ${how}`, async (race) => {
      const [first] = await underWay(race, ['a']);
      await race.accept(['a', 'a'], 1);
      await together(race.begin(), race.settle(new Map([[first, how]])));
      await race.expectSound();
    });

    rounds(`a takeover while attempts are settled: ${how}`, async (race) => {
      const due = await underWay(race, ['a', 'b', 'a', 'b']);
      const before = race.owner;
      await together(
        race.takeOver(),
        ...due.map((one) => race.settle(new Map([[one, how]]), before)),
      );
      await race.expectSound();
      expect(await race.begin()).toHaveLength(2);
    });
  }

  rounds('due work is read while the one before is cancelled', async (race) => {
    await race.accept(['a', 'a', 'a'], 0);
    await together(race.begin(), race.cancel(race.ids[0], 1));
    await race.expectSound();
  });

  rounds('an earlier one is cancelled while a later one is delivered', async (race) => {
    const [first] = await underWay(race, ['a', 'a', 'a']);
    await race.settle(new Map([[first, 'exhausted']]));
    const [second] = (await race.begin()) as [Due];
    // Now two are before the third, and both go at the same moment.
    await race.retry(race.ids[0], 0);
    await together(race.cancel(race.ids[0], 1), race.settle(new Map([[second, 'delivered']])));
    await race.expectSound();
  });

  rounds('two are cancelled behind which another waits', async (race) => {
    const [first] = await underWay(race, ['a', 'a', 'a']);
    await race.settle(new Map([[first, RETRY]]));
    await race.cancel(race.ids[1], 0);
    await race.retry(race.ids[1], 0);
    await together(race.cancel(race.ids[0], 0), race.cancel(race.ids[1], 1));
    await race.expectSound();
    expect(await race.begin()).toHaveLength(1);
  });

  for (const how of ['delivered', 'exhausted', RETRY] as const) {
    for (const ordered of [false, true]) {
      const name = `${JSON.stringify(how)}, ${ordered ? 'one order' : 'any order'}`;

      rounds(
        `a cancelled delivery is replayed while its attempt is settled: ${name}`,
        async (race) => {
          const [first] = await underWay(race, ['a']);
          await race.cancel(race.ids[0], 0);
          await together(race.retry(race.ids[0], 1), race.settle(new Map([[first, how]])));
          await race.expectSound();
          await race.settle(new Map((await race.begin()).map((due) => [due, 'exhausted'])));
        },
        { ordered },
      );

      rounds(
        `a retry is asked for while the attempt is settled: ${name}`,
        async (race) => {
          const [first] = await underWay(race, ['a']);
          rigs[0].clock.advance(1);
          let isDone = false;
          await together(
            race.retry(race.ids[0], 1).then((done) => {
              isDone = done;
            }),
            race.settle(new Map([[first, how]])),
          );
          await race.expectSound();
          const { state } = await race.stateOf(race.ids[0] as string);
          const next = await race.begin();
          if (isDone && how !== 'delivered') expect(next).toMatchObject([{ attemptNumber: 2 }]);
          if (isDone) expect(['pending', 'delivered']).toContain(state);
        },
        { ordered },
      );

      rounds(
        `a delivery is cancelled while its attempt is settled: ${name}`,
        async (race) => {
          const [first] = await underWay(race, ['a', 'a']);
          await together(race.cancel(race.ids[0], 1), race.settle(new Map([[first, how]])));
          const { state } = await race.stateOf(race.ids[0] as string);
          const settled = typeof how === 'string' ? how : 'cancelled';
          expect(['cancelled', settled]).toContain(state);
        },
        { ordered },
      );
    }
  }

  for (const ordered of [false, true]) {
    const name = ordered ? 'to any order' : 'to one order';
    rounds(
      `the rule changes ${name} while events are accepted, read and settled`,
      async (race) => {
        const [first] = await underWay(race, ['a', 'b']);
        await race.accept(['a', 'b'], 0);
        await together(
          race.change(1),
          race.accept(['a', 'b', 'a'], 0),
          race.begin(),
          race.settle(new Map([[first, 'delivered']])),
        );
        await race.begin();
        await race.expectSound();
        await race.change(0);
      },
      { ordered },
    );
  }

  const which = fc.nat({ max: 20 });
  const outcome = fc.constantFrom<Outcome>('delivered', 'exhausted', RETRY);
  const act = fc.oneof(
    {
      weight: 3,
      arbitrary: fc.record({
        accept: fc.array(fc.nat(1), { minLength: 1, maxLength: 3 }),
        node: which,
      }),
    },
    { weight: 3, arbitrary: fc.record({ begin: fc.integer({ min: 1, max: 5 }) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        settle: fc.array(fc.tuple(which, outcome), { minLength: 1, maxLength: 3 }),
      }),
    },
    { weight: 3, arbitrary: fc.record({ cancel: which, node: which }) },
    { weight: 2, arbitrary: fc.record({ retry: which, node: which }) },
    { weight: 1, arbitrary: fc.record({ recover: which }) },
    { weight: 1, arbitrary: fc.record({ change: which }) },
    { weight: 1, arbitrary: fc.record({ takeOver: fc.constant(true) }) },
  );
  type Act = typeof act extends fc.Arbitrary<infer A> ? A : never;

  /** Begins what can be done now; of what is exclusive, the first only. */
  function start(race: Race, acts: readonly Act[]): Promise<unknown>[] {
    const { owner } = race;
    const settling = new Set<Due>();
    const once = new Set<string>();
    const recent = race.ids.slice(-6);
    return acts.flatMap((act): Promise<unknown>[] => {
      const [kind] = Object.keys(act) as [string];
      if ('accept' in act)
        return [
          race.accept(
            act.accept.map((n) => ORDERS[n] as string),
            act.node,
          ),
        ];
      if ('settle' in act) {
        const outcomes = new Map<Due, Outcome>();
        for (const [n, how] of act.settle) {
          const due = race.inFlight(n);
          if (due && !settling.has(due)) outcomes.set(due, how);
          if (due) settling.add(due);
        }
        return outcomes.size > 0 ? [race.settle(outcomes, owner)] : [];
      }
      if ('cancel' in act) return [race.cancel(recent[act.cancel % 6], act.node)];
      if ('retry' in act) return [race.retry(recent[act.retry % 6], act.node)];
      if (once.has(kind)) return [];
      once.add(kind);
      if ('begin' in act) return [race.begin(act.begin)];
      if ('recover' in act) return [race.recover(act.recover)];
      if ('change' in act) return [race.change(act.change)];
      return [race.takeOver()];
    });
  }

  test.each([
    ['in any order', false],
    ['in one order', true],
  ])(
    'any few things at once, again and again, %s',
    async (_, ordered) => {
      const group = fc.array(act, { minLength: 1, maxLength: 4, size: 'max' });
      await fc.assert(
        fc.asyncProperty(fc.array(group, { minLength: 5, maxLength: 20, size: 'max' }), (groups) =>
          race(ordered, async (race) => {
            for (const acts of groups) {
              await together(...start(race, acts));
              await race.expectSound();
              rigs[0].clock.advance(10_000);
            }
          }),
        ),
        // What failed once need not fail again: there is nothing to shrink.
        { numRuns: 20, endOnFailure: true },
      );
    },
    120_000,
  );
});
