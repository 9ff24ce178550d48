/**
 * A model of what can happen to deliveries, in a few lines: two nodes, one of which owns the shards,
 * crashes, frozen nodes, time, and everything that support can do. The queue is compared with it.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { deliverySeq } from '../src/delivery/orders/order-event.ts';
import type { Due } from '../src/delivery/stages.ts';
import { changeDeliveries } from '../src/resources/deliveries/change-deliveries.ts';
import {
  cancelDelivery,
  fastForwardDelivery,
  retryDelivery,
} from '../src/resources/deliveries/change-delivery.ts';
import { updateMidoffice } from '../src/resources/midoffices/change-midoffice.ts';
import { recoverMidoffice } from '../src/resources/midoffices/recover-midoffice.ts';
import { sendPending } from '../src/resources/midoffices/send-pending.ts';
import { updatePartner } from '../src/resources/partners/change-partner.ts';
import { Problem } from '../src/resources/problem.ts';
import type { Rig, TestMidoffice } from './delivery-rig.ts';
import { expectConsistent } from './queue-checks.ts';
import { type Outcome, outcomeOf, QueueOwner } from './queue-owner.ts';

const states = ['pending', 'delivered', 'exhausted', 'cancelled', 'unrouted'] as const;

interface Modelled {
  id: string;
  seq: number;
  order: string;
  /** Whether it has a midoffice. */
  isRouted: boolean;
  state: (typeof states)[number];
  dueAt: number;
  attempts: number;
  retriesUsed: number;
  /** How often support has requested an attempt. */
  asked: number;
}

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom('delivered' as const, 'exhausted' as const, 'repeated' as const),
  fc.record({ retryInMs: fc.integer({ min: 1, max: 40_000 }) }),
);
const which = fc.nat({ max: 30 });
/** Which of the two nodes gets a request. */
const node = fc.nat({ max: 1 });
export const step = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ accept: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }), node }),
  },
  { weight: 6, arbitrary: fc.record({ begin: fc.integer({ min: 1, max: 5 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      settle: fc.array(fc.tuple(which, outcome), { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ cancel: which, node }) },
  { weight: 3, arbitrary: fc.record({ retry: which, node }) },
  { weight: 1, arbitrary: fc.record({ recover: node }) },
  { weight: 1, arbitrary: fc.record({ sendPending: node }) },
  { weight: 1, arbitrary: fc.record({ retryAll: fc.constantFrom(...states), node }) },
  { weight: 1, arbitrary: fc.record({ cancelOrder: fc.nat(2), node }) },
  { weight: 1, arbitrary: fc.record({ forward: which, node }) },
  { weight: 1, arbitrary: fc.record({ change: node }) },
  { weight: 1, arbitrary: fc.record({ assign: node }) },
  { weight: 1, arbitrary: fc.record({ takeOver: fc.constantFrom('crashed', 'frozen') }) },
  { weight: 2, arbitrary: fc.record({ late: which, outcome }) },
  { weight: 3, arbitrary: fc.record({ advance: fc.integer({ min: 1, max: 40_000 }) }) },
);
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** One midoffice and the expected state of its deliveries. */
export class World {
  readonly model: Modelled[] = [];
  /** The requests of support at the time an attempt began. */
  readonly #askedThen = new Map<Due, number>();
  /** Attempts of frozen nodes that do not know yet that they lost their shards. */
  readonly #stale: { owner: QueueOwner; due: Due }[] = [];
  readonly #rigs: readonly [Rig, Rig];
  readonly #midoffice: TestMidoffice;
  owner: QueueOwner;
  #ordered: boolean;
  /** Whether `delivery_order` has been `any` all along. */
  #isPlain: boolean;
  /** Whether the partner works with the midoffice now. */
  #isAssigned = true;

  constructor(
    rigs: readonly [Rig, Rig],
    midoffice: TestMidoffice,
    owner: QueueOwner,
    ordered: boolean,
  ) {
    this.#rigs = rigs;
    this.#midoffice = midoffice;
    this.owner = owner;
    this.#ordered = ordered;
    this.#isPlain = !ordered;
  }

  get #now(): number {
    return this.#rigs[0].clock.now();
  }

  async play(step: Step): Promise<void> {
    if ('accept' in step) await this.#accept(step.accept, this.#rig(step.node));
    else if ('begin' in step) await this.#begin(step.begin);
    else if ('settle' in step) await this.#settle(step.settle);
    else if ('cancel' in step) await this.#cancel(step.cancel, this.#rig(step.node));
    else if ('retry' in step) await this.#retry(step.retry, this.#rig(step.node));
    else if ('recover' in step) await this.#recover(this.#rig(step.recover));
    else if ('sendPending' in step) await this.#sendPending(this.#rig(step.sendPending));
    else if ('retryAll' in step) await this.#retryAll(step.retryAll, this.#rig(step.node));
    else if ('cancelOrder' in step) await this.#cancelOrder(step.cancelOrder, this.#rig(step.node));
    else if ('forward' in step) await this.#forward(step.forward, this.#rig(step.node));
    else if ('change' in step) await this.#change(this.#rig(step.change));
    else if ('assign' in step) await this.#assign(this.#rig(step.assign));
    else if ('takeOver' in step) await this.#takeOver(step.takeOver === 'frozen');
    else if ('late' in step) await this.#settleLate(step.late, step.outcome);
    else this.#rigs[0].clock.advance(step.advance);
  }

  #rig(n: number): Rig {
    return this.#rigs[n] as Rig;
  }

  #row({ seq }: Due): Modelled {
    return this.model.find((row) => row.seq === seq) as Modelled;
  }

  async #accept(orders: readonly number[], rig: Rig): Promise<void> {
    const names = orders.map((n) => `order ${n}`);
    for (const [n, id] of (await rig.accept(this.#midoffice, names)).entries()) {
      this.model.push({
        id,
        seq: deliverySeq(id) as number,
        order: names[n] as string,
        isRouted: this.#isAssigned,
        state: this.#isAssigned ? 'pending' : 'unrouted',
        dueAt: this.#now,
        attempts: 0,
        retriesUsed: 0,
        asked: 0,
      });
    }
  }

  /** What a correct owner may begin, the longest due first. */
  #startable(): Modelled[] {
    const inFlight = [...this.owner.inFlight.values()];
    return this.model
      .filter((row) => row.state === 'pending' && row.dueAt <= this.#now)
      .filter((row) => !this.owner.inFlight.has(row.seq))
      .filter((row) => {
        if (!this.#ordered) return true;
        const isFirst = !this.model.some(
          (other) => other.state === 'pending' && other.order === row.order && other.seq < row.seq,
        );
        return (
          isFirst &&
          !inFlight.some((due) => due.order_key !== null && this.#row(due).order === row.order)
        );
      })
      .sort((a, b) => a.dueAt - b.dueAt || a.seq - b.seq);
  }

  async #begin(count: number): Promise<void> {
    const startable = this.#startable();
    const begun = await this.owner.begin({ [this.#midoffice.id]: count });
    if (this.#isPlain) {
      expect(begun.map(({ seq }) => seq)).toEqual(startable.slice(0, count).map(({ seq }) => seq));
    } else {
      expect(begun.filter((due) => !startable.includes(this.#row(due)))).toEqual([]);
      expect(begun).toHaveLength(Math.min(count, startable.length));
    }
    for (const due of begun) {
      const row = this.#row(due);
      expect([due.attempts_made, due.retries_used]).toEqual([row.attempts, row.retriesUsed]);
      this.#askedThen.set(due, row.asked);
    }
  }

  async #settle(picked: readonly (readonly [number, Outcome])[]): Promise<void> {
    const outcomes = new Map<Due, Outcome>();
    for (const [n, how] of picked) {
      const due = pick([...this.owner.inFlight.values()], n);
      if (due && !outcomes.has(due)) outcomes.set(due, how);
    }
    const settlements = [...outcomes].map(([due, how]) => outcomeOf(due, this.#now, how));
    const settled = await this.owner.settleEach(settlements);
    expect(settled).toHaveLength(settlements.length);
    for (const settlement of settlements) {
      const row = this.#row(settlement.due);
      row.attempts++;
      if (row.state === 'pending') {
        const follows =
          row.asked !== this.#askedThen.get(settlement.due) && settlement.state !== 'delivered';
        row.retriesUsed = settlement.state === 'pending' ? settlement.retries_used : 0;
        row.state = follows ? 'pending' : settlement.state;
        row.dueAt = follows || settlement.state !== 'pending' ? this.#now : settlement.due_at;
      }
      expect(settled.find((one) => one.settlement === settlement)).toMatchObject({
        state: row.state,
        due_at: row.state === 'pending' ? row.dueAt : null,
      });
    }
  }

  async #settleLate(n: number, how: Outcome): Promise<void> {
    const late = pick(this.#stale, n);
    if (late) expect(await late.owner.settle([late.due], how)).toEqual([]);
  }

  async #cancel(n: number, rig: Rig): Promise<void> {
    const row = pick(this.model, n);
    if (!row) return;
    const cancelling = cancelDelivery(rig.environment, 'test', row.id);
    if (row.state !== 'delivered' && row.state !== 'exhausted') {
      await cancelling;
      row.state = 'cancelled';
    } else {
      await expect(cancelling).rejects.toBeInstanceOf(Problem);
    }
  }

  async #retry(n: number, rig: Rig): Promise<void> {
    const row = pick(this.model, n);
    if (!row) return;
    const retrying = retryDelivery(rig.environment, 'test', row.id);
    if (this.#canBeSent(row)) {
      await retrying;
      this.#askFor(row);
    } else {
      await expect(retrying).rejects.toMatchObject({ code: 'no_midoffice' });
    }
  }

  #canBeSent({ isRouted }: Modelled): boolean {
    return isRouted || this.#isAssigned;
  }

  #askFor(row: Modelled): void {
    row.isRouted = true;
    if (row.state !== 'pending') row.retriesUsed = 0;
    row.state = 'pending';
    row.dueAt = this.#now;
    row.asked++;
  }

  async #recover(rig: Rig): Promise<void> {
    const givenUp = this.model.filter(
      (row) => row.state !== 'pending' && row.state !== 'delivered' && this.#canBeSent(row),
    );
    const span = { since: '2020-01-01T00:00:00Z' };
    expect(await recoverMidoffice(rig.environment, 'test', this.#midoffice.id, span)).toEqual({
      requeued: givenUp.length,
    });
    for (const row of givenUp) this.#askFor(row);
  }

  /** What waits in a lane that has been plain all along. Otherwise some of it is parked, which is not counted. */
  async #sendPending(rig: Rig): Promise<void> {
    const waiting = this.model.filter((row) => row.state === 'pending' && row.dueAt > this.#now);
    const { sent } = await sendPending(rig.environment, 'test', this.#midoffice.id);
    if (this.#isPlain) expect(sent).toBe(waiting.length);
    for (const row of waiting) {
      row.dueAt = this.#now;
      row.asked++;
    }
  }

  async #retryAll(state: Modelled['state'], rig: Rig): Promise<void> {
    const rows = this.model.filter((row) => row.state === state);
    const bulk = {
      action: 'retry' as const,
      filter: { state, partner_id: this.#midoffice.partnerId },
      expected: rows.length,
    };
    const sent = rows.filter((row) => this.#canBeSent(row));
    expect(await changeDeliveries(rig.environment, 'test', bulk)).toEqual({ changed: sent.length });
    for (const row of sent) this.#askFor(row);
  }

  async #cancelOrder(n: number, rig: Rig): Promise<void> {
    const rows = this.model.filter((row) => row.order === `order ${n}`);
    const bulk = {
      action: 'cancel' as const,
      filter: { partner_order_id: `order ${n}`, partner_id: this.#midoffice.partnerId },
      expected: rows.length,
    };
    const open = rows.filter((row) => row.state === 'pending' || row.state === 'unrouted');
    expect(await changeDeliveries(rig.environment, 'test', bulk)).toEqual({ changed: open.length });
    for (const row of open) row.state = 'cancelled';
  }

  async #forward(n: number, rig: Rig): Promise<void> {
    const row = pick(this.model, n);
    if (!row) return;
    const sandbox = { ...rig.environment, name: 'sandbox' } as const;
    const forwarding = fastForwardDelivery(sandbox, 'test', row.id);
    if (row.state !== 'pending') {
      await expect(forwarding).rejects.toBeInstanceOf(Problem);
    } else {
      await forwarding;
      row.dueAt = Math.min(row.dueAt, this.#now);
    }
  }

  async #change(rig: Rig): Promise<void> {
    this.#ordered = !this.#ordered;
    this.#isPlain = false;
    const delivery_order = this.#ordered ? 'per_order' : 'any';
    await updateMidoffice(rig.environment, 'test', this.#midoffice.id, { delivery_order });
  }

  async #assign(rig: Rig): Promise<void> {
    this.#isAssigned = !this.#isAssigned;
    const midoffice_id = this.#isAssigned ? this.#midoffice.id : null;
    await updatePartner(rig.environment, 'test', this.#midoffice.partnerId, { midoffice_id });
  }

  async #takeOver(isFrozen: boolean): Promise<void> {
    const before = this.owner;
    const other = this.#rigs.find((rig) => rig.store !== before.store) ?? this.#rigs[0];
    this.owner = await QueueOwner.after(before, other);
    if (isFrozen) {
      for (const due of before.inFlight.values()) this.#stale.push({ owner: before, due });
    }
    before.forget();
  }

  async expectAsModelled(): Promise<void> {
    const shown = await Promise.all(this.model.map(({ id }) => this.#rigs[0].show(id)));
    expect(
      shown.map(({ state, midoffice_id, attempts_made, attempts }) => ({
        state,
        isRouted: midoffice_id !== null,
        attempts_made,
        attempts: attempts.map(({ number }) => number),
      })),
    ).toEqual(
      this.model.map(({ state, isRouted, attempts }) => ({
        state,
        isRouted,
        attempts_made: attempts,
        attempts: Array.from({ length: attempts }, (_, n) => n + 1),
      })),
    );
    await expectConsistent(this.#rigs[0].store, this.#midoffice.id);
  }
}

function pick<T>(list: readonly T[], n: number): T | undefined {
  return list[n % Math.max(list.length, 1)];
}
