/**
 * A node that owns shards and is driven by a test: it reads due work, counts it as in flight and settles it
 * with the outcome that the test wants. It follows the rules that the queue relies on: no delivery twice at
 * a time, and one event of an order at a time.
 */
import { randomBytes } from 'node:crypto';
import type { AttemptRecord } from '../src/delivery/attempt.ts';
import {
  type HeldShard,
  type LaneWork,
  type NodeIdentity,
  type Settled,
  SHARDS,
  shardOf,
} from '../src/delivery/queue.ts';
import { settlementOf } from '../src/delivery/schedule.ts';
import type { Due, Settlement } from '../src/delivery/stages.ts';
import type { Store } from '../src/store/store.ts';
import type { ManualClock } from './manual-clock.ts';

export interface QueueSide {
  store: Store;
  clock: ManualClock;
}

export type Outcome = 'delivered' | 'exhausted' | 'repeated' | { retryInMs: number };

/** After this many reads in a row without an attempt, the queue makes no progress. */
const MOST_READS = 100;

export class QueueOwner {
  readonly node: NodeIdentity = { id: `node-${randomBytes(6).toString('hex')}`, host: 'test' };
  readonly store: Store;
  readonly clock: ManualClock;
  readonly epochs = new Map<number, number>();
  /** Attempts in flight, by the sequence number of their delivery. */
  readonly inFlight = new Map<number, Due>();

  constructor({ store, clock }: QueueSide) {
    this.store = store;
    this.clock = clock;
  }

  /** With all free shards. */
  static async of(side: QueueSide): Promise<QueueOwner> {
    const owner = new QueueOwner(side);
    await owner.take();
    return owner;
  }

  /** With all shards of another owner, which has not renewed its leases in time. */
  static async after(other: QueueOwner, side: QueueSide = other): Promise<QueueOwner> {
    const owner = new QueueOwner(side);
    await owner.takeOver(other);
    return owner;
  }

  async takeOver(other: QueueOwner): Promise<void> {
    await other.endLeases();
    await this.take();
  }

  /** Ends the leases without waiting for them to expire. */
  async endLeases(): Promise<void> {
    await this.store.db
      .updateTable('shard')
      .set({ until: 0 })
      .where('node', '=', this.node.id)
      .execute();
  }

  async take(count = SHARDS): Promise<HeldShard[]> {
    const taken = await this.store.shards.take(this.node, count);
    for (const { shard, epoch } of taken) this.epochs.set(shard, epoch);
    return taken;
  }

  async release(shards: readonly number[]): Promise<void> {
    await this.store.shards.release(this.node, shards);
  }

  readonly epochOf = (shard: number): number | undefined => this.epochs.get(shard);

  /** Like a crash: nothing is left in memory. */
  forget(): void {
    this.inFlight.clear();
  }

  /** One read of this many rows for each midoffice, besides those in flight and `held`. */
  async read(
    wanted: Readonly<Record<string, number>>,
    held: Iterable<Due> = [],
  ): Promise<LaneWork[]> {
    const inMemory = [...this.inFlight.values(), ...held];
    const lanes = Object.entries(wanted).map(([midofficeId, limit]) => {
      const shard = shardOf(midofficeId);
      const ofLane = inMemory.filter((one) => one.midoffice_id === midofficeId);
      const known = new Set(ofLane.map(({ seq }) => seq));
      return { midofficeId, shard, epoch: this.epochOf(shard) ?? 0, limit, known };
    });
    const work = await this.store.queue.due(lanes, this.clock.now());
    for (const [n, { due }] of work.entries()) {
      if (due.some(({ seq }) => lanes[n]?.known.has(seq))) throw new Error('a known row was read');
      const keys = due.flatMap(({ order_key }) => order_key ?? []);
      if (new Set(keys).size < keys.length) throw new Error('two of one order were read');
    }
    return work;
  }

  /** Begins as many attempts for each midoffice as possible, up to the wanted number. */
  async begin(wanted: Readonly<Record<string, number>>): Promise<Due[]> {
    const begun: Due[] = [];
    const held: Due[] = [];
    const left = new Map(Object.entries(wanted));
    let ordered = await this.#orderOf(left.keys());
    for (let reads = 0; left.size > 0; reads++) {
      if (reads === MOST_READS) throw new Error('reading due work makes no progress');
      const work = await this.read(Object.fromEntries(left), held);
      const misread = work.filter(({ midofficeId, due }) =>
        due.some((one) => (one.order_key !== null) !== ordered.get(midofficeId)),
      );
      if (misread.length > 0) {
        // Queued under the old rule.
        for (const { midofficeId } of misread) {
          await this.store.queue.restateOrder(midofficeId, this.clock.now());
        }
        ordered = await this.#orderOf(left.keys());
        continue;
      }
      for (const lane of work) {
        const free = left.get(lane.midofficeId) as number;
        let started = 0;
        for (const one of lane.due.slice(0, free)) {
          if (this.#isBlocked(one)) {
            held.push(one);
          } else {
            this.inFlight.set(one.seq, one);
            begun.push(one);
            started++;
          }
        }
        const more = lane.nextDueAtMs !== null && lane.nextDueAtMs <= this.clock.now();
        if (started < free && (lane.due.length > 0 || more)) {
          left.set(lane.midofficeId, free - started);
        } else {
          left.delete(lane.midofficeId);
        }
      }
    }
    return begun;
  }

  /** Settles attempts, all with the same outcome. */
  async settle(due: readonly Due[], outcome: Outcome): Promise<Settled[]> {
    return this.settleEach(due.map((one) => outcomeOf(one, this.clock.now(), outcome)));
  }

  async settleEach(settlements: readonly Settlement[]): Promise<Settled[]> {
    const settled = await this.store.queue.settle(settlements, this.clock.now());
    for (const { due } of settlements) {
      if (this.inFlight.get(due.seq) === due) this.inFlight.delete(due.seq);
    }
    return settled;
  }

  #isBlocked({ order_key }: Due): boolean {
    if (order_key === null) return false;
    return [...this.inFlight.values()].some((one) => one.order_key === order_key);
  }

  async #orderOf(midofficeIds: Iterable<string>): Promise<Map<string, boolean>> {
    const lanes = await this.store.queue.lanes([...midofficeIds]);
    for (const { midoffice_id, restating } of lanes) {
      if (restating) await this.store.queue.restateOrder(midoffice_id, this.clock.now());
    }
    return new Map(lanes.map(({ midoffice_id, ordered }) => [midoffice_id, ordered]));
  }
}

/** What a worker would write after an attempt that ended now. */
export function outcomeOf(due: Due, nowMs: number, outcome: Outcome): Settlement {
  const failed = outcome !== 'delivered';
  const attempt: AttemptRecord = {
    number: due.attempts_made + 1,
    started_at: nowMs,
    duration_ms: 7,
    outcome: failed ? 'failed' : 'delivered',
    status_code: failed ? 500 : 200,
    reply_excerpt: 'reply',
    error: failed ? 'It answered 500.' : null,
    failure_code: failed ? 'status' : null,
    signature_timestamp: Math.floor(nowMs / 1_000),
    signature_token: 'token',
    url: 'https://receiver.example/',
    body_form: 'data',
    user_agent: 'Bellhop/test',
    key_id: '1',
    key_fingerprint: 'abcdef012345',
  };
  if (outcome === 'repeated') {
    const lost = { ...attempt, status_code: null, failure_code: 'connection_reused' } as const;
    // However long the test lets a delivery wait is within its step.
    const schedule = [Number.POSITIVE_INFINITY];
    return settlementOf({ due, attempt: lost, endedAtMs: nowMs }, schedule);
  }
  const effect = { due, attempt, last_key: attempt.key_fingerprint };
  if (typeof outcome === 'string') return { ...effect, state: outcome, settled_at: nowMs };
  return {
    ...effect,
    state: 'pending',
    due_at: nowMs + outcome.retryInMs,
    retries_used: due.retries_used + 1,
    scheduled_at: null,
  };
}
