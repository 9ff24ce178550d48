/**
 * Races in the queue: two operations at the same time, on two nodes that share a PostgreSQL. The result
 * depends on which is first. The invariants that are checked afterwards do not: nothing is lost, nothing
 * stays parked behind nothing, and every settled attempt is recorded.
 */
import { afterAll, beforeAll, expect } from 'vitest';
import type { Due, Settlement } from '../src/delivery/stages.ts';
import { changeDeliveries } from '../src/resources/deliveries/change-deliveries.ts';
import { cancelDelivery, retryDelivery } from '../src/resources/deliveries/change-delivery.ts';
import { updateMidoffice } from '../src/resources/midoffices/change-midoffice.ts';
import { recoverMidoffice } from '../src/resources/midoffices/recover-midoffice.ts';
import { sendPending } from '../src/resources/midoffices/send-pending.ts';
import { Problem } from '../src/resources/problem.ts';
import { databaseAt, Rig, type TestMidoffice } from './delivery-rig.ts';
import { expectConsistent, expectDrains } from './queue-checks.ts';
import { type Outcome, outcomeOf, QueueOwner } from './queue-owner.ts';

export const RETRY = { retryInMs: 30_000 };

/** One midoffice with one owner at a time, and requests to either node. */
export class Race {
  /** The deliveries of this round. */
  ids: string[] = [];
  readonly rigs: readonly [Rig, Rig];
  readonly midoffice: TestMidoffice;
  owner: QueueOwner;
  ordered: boolean;
  /** In the order of delivery, for as long as support has not interfered. */
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

  /** Checks that each attempt is recorded exactly if its settlement was written. */
  async settle(outcomes: ReadonlyMap<Due, Outcome>, owner = this.owner): Promise<void> {
    const settlements = [...outcomes].map(([due, how]): Settlement => {
      const settlement = outcomeOf(due, owner.clock.now(), how);
      settlement.attempt.signature_token = `${this.midoffice.id} ${++this.#tokens}`;
      return settlement;
    });
    const settled = await owner.settleEach(settlements);
    for (const settlement of settlements) {
      const one = settled.find((each) => each.settlement === settlement);
      const recorded = await owner.store.db
        .selectFrom('attempt')
        .select('number')
        .where('delivery_seq', '=', settlement.due.seq)
        .where('signature_token', '=', settlement.attempt.signature_token)
        .execute();
      expect(recorded, `recorded, as it is ${one?.state}`).toHaveLength(one ? 1 : 0);
      if (one?.state === 'delivered') this.delivered.push(settlement.due);
    }
  }

  async cancel(id: string | undefined, node: number): Promise<void> {
    if (id === undefined) return;
    await unlessRefused(cancelDelivery(this.rig(node).environment, 'test', id));
  }

  async retry(id: string | undefined, node: number): Promise<boolean> {
    this.onlySchedule = false;
    if (id === undefined) return false;
    return unlessRefused(retryDelivery(this.rig(node).environment, 'test', id));
  }

  async recover(node: number): Promise<void> {
    this.onlySchedule = false;
    const span = { since: '2020-01-01T00:00:00Z' };
    await recoverMidoffice(this.rig(node).environment, 'test', this.midoffice.id, span);
  }

  async sendPending(node: number): Promise<void> {
    this.onlySchedule = false;
    await sendPending(this.rig(node).environment, 'test', this.midoffice.id);
  }

  /** Everything of this round. It may be told that its number has changed. */
  async changeAll(action: 'retry' | 'cancel', node: number): Promise<void> {
    if (action === 'retry') this.onlySchedule = false;
    const filter = { midoffice_id: this.midoffice.id, ids: this.ids };
    if (this.ids.length === 0) return;
    const bulk = { action, filter, expected: this.ids.length };
    await unlessRefused(changeDeliveries(this.rig(node).environment, 'test', bulk));
  }

  async change(node: number): Promise<void> {
    this.onlySchedule = false;
    this.ordered = !this.ordered;
    const delivery_order = this.ordered ? 'per_order' : 'any';
    await updateMidoffice(this.rig(node).environment, 'test', this.midoffice.id, {
      delivery_order,
    });
  }

  /** By the other node. The attempts of the previous owner stay in flight there, in vain. */
  async takeOver(): Promise<void> {
    const before = this.owner;
    const side = this.rigs.find((rig) => rig.store !== before.store) as Rig;
    const next = new QueueOwner(side);
    await next.takeOver(before);
    // Shards with a settlement in progress are skipped, so try again.
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
    for (const order of new Set(this.delivered.map(({ order_key }) => order_key))) {
      const seqs = this.delivered.filter((due) => due.order_key === order).map(({ seq }) => seq);
      expect(seqs).toEqual([...seqs].sort((a, b) => a - b));
    }
  }
}

/** Returns whether it succeeded: support may be told that it is too late. */
async function unlessRefused(doing: Promise<unknown>): Promise<boolean> {
  try {
    await doing;
    return true;
  } catch (error) {
    if (error instanceof Problem) return false;
    throw error;
  }
}

/** Waits for all, then throws the first error, if there is one. */
export async function together(...doing: Promise<unknown>[]): Promise<void> {
  const outcomes = await Promise.allSettled(doing);
  const failed = outcomes.find((one) => one.status === 'rejected');
  if (failed) throw failed.reason;
}

export interface Races {
  readonly rigs: readonly [Rig, Rig];
  /** Runs `body` this many times with a midoffice of its own, and checks the invariants each time. */
  race(ordered: boolean, body: (race: Race) => Promise<void>, rounds?: number): Promise<void>;
}

/** Two nodes on one database for all tests of a file. */
export function twoNodes(freshDatabase: () => Promise<string>): Races {
  let rigs: [Rig, Rig];
  let owner: QueueOwner;
  beforeAll(async () => {
    const database = databaseAt(await freshDatabase());
    const first = await Rig.open(database, { atEnd: () => {} });
    rigs = [first, await Rig.open(database, { clock: first.clock, atEnd: () => {} })];
    owner = await QueueOwner.of(first);
  });
  afterAll(async () => {
    for (const rig of rigs) await rig.close();
  });

  return {
    get rigs() {
      return rigs;
    },
    async race(ordered, body, rounds = 1) {
      const midoffice = await rigs[0].midoffice('http://127.0.0.1:9/', {
        max_in_flight: 256,
        delivery_order: ordered ? 'per_order' : 'any',
      });
      owner.forget();
      const one = new Race(rigs, midoffice, owner, ordered);
      try {
        for (let round = 0; round < rounds; round++) {
          await body(one);
          await one.expectNothingLost();
        }
      } finally {
        owner = one.owner;
      }
    },
  };
}
