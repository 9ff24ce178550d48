/**
 * Reads due rows for lanes that run low, many lanes in one query, and wakes each other lane when its
 * next row is due. It never scans all lanes.
 */
import type { Clock, Timer } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { Coalesced } from './coalesced.ts';
import { type Lane, READ_AHEAD } from './lane.ts';
import type { DeliveryQueue, LaneRequest, LaneWork } from './queue.ts';
import { WakeTimes } from './wake-times.ts';

const LANES_AT_ONCE = 100;
const RETRY_AFTER_FAULT_MS = 500;

export interface DueWorkParts {
  queue: Pick<DeliveryQueue, 'lanes' | 'due' | 'restateOrder'>;
  clock: Clock;
  log: Log;
  /** Undefined if this node does not own the shard. */
  epochOf(shard: number): number | undefined;
  /** How many rows all lanes together may read ahead now. */
  roomInMemory(): number;
  /** The lane has rows to attempt, or needs another look. */
  ready(lane: Lane): void;
}

export class DueWork {
  readonly #parts: DueWorkParts;
  readonly #unread = new Set<Lane>();
  readonly #reading = new Coalesced(() => this.#read());
  readonly #wakeTimes = new WakeTimes();
  readonly #restating = new Set<Lane>();
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(parts: DueWorkParts) {
    this.#parts = parts;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#unread.clear();
  }

  /** Schedules the lane's next read. */
  watch(lane: Lane): void {
    if (this.#isStopped || this.#parts.epochOf(lane.shard) === undefined) return;
    if (this.#restating.has(lane)) return;
    const nowMs = this.#parts.clock.now();
    if (lane.isReadable(nowMs) || (!lane.config && lane.hasQueued)) {
      this.#unread.add(lane);
      this.#reading.ask();
    } else if (lane.readAtMs > nowMs && lane.readAtMs < Number.POSITIVE_INFINITY) {
      if (lane.wakesAtMs.has(lane.readAtMs)) return;
      lane.wakesAtMs.add(lane.readAtMs);
      this.#wakeTimes.add(lane, lane.readAtMs);
      this.#setTimer();
    }
  }

  /** Reads the midoffices of these lanes again. */
  async reload(lanes: readonly Lane[]): Promise<void> {
    const asked = lanes.map((lane) => ++lane.configAsked);
    const configs = await this.#parts.queue.lanes(lanes.map((lane) => lane.midofficeId));
    const byId = new Map(configs.map((config) => [config.midoffice_id, config]));
    for (const [i, lane] of lanes.entries()) {
      const fresh = byId.get(lane.midofficeId);
      // A later request may have been answered first.
      if (!fresh || lane.configAsked !== asked[i]) continue;
      // This node's own values are newer than those in the database, unless they are about another URL.
      const { failing_since, worked_key } = lane.config?.url === fresh.url ? lane.config : fresh;
      lane.config = { ...fresh, failing_since, worked_key };
      // What it holds was read under another order.
      if (fresh.restating) lane.forget();
    }
  }

  #setTimer(): void {
    const soonestMs = this.#wakeTimes.soonestMs;
    if (soonestMs >= this.#timerAtMs) return;
    this.#timer?.cancel();
    this.#timerAtMs = soonestMs;
    const { clock } = this.#parts;
    this.#timer = clock.after(soonestMs - clock.now(), () => this.#wakeDue());
  }

  #wakeDue(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    for (const { lane, atMs } of this.#wakeTimes.takeDue(this.#parts.clock.now())) {
      lane.wakesAtMs.delete(atMs);
      this.watch(lane);
    }
    if (!this.#isStopped && this.#wakeTimes.soonestMs < Number.POSITIVE_INFINITY) this.#setTimer();
  }

  #read(): void | Promise<void> {
    const lanes: Lane[] = [];
    for (const lane of this.#unread) {
      if (lanes.length === LANES_AT_ONCE) break;
      lanes.push(lane);
      this.#unread.delete(lane);
    }
    if (this.#unread.size > 0) this.#reading.ask();
    const unloaded = lanes.filter((lane) => !lane.config);
    if (unloaded.length > 0) return this.#readAfterLoading(lanes, unloaded);
    return this.#readLanes(lanes);
  }

  async #readAfterLoading(lanes: readonly Lane[], unloaded: readonly Lane[]): Promise<void> {
    try {
      await this.reload(unloaded);
    } catch (error) {
      return this.#putOff(lanes, error, 'midoffices cannot be read');
    }
    await this.#readLanes(lanes);
  }

  #readLanes(lanes: readonly Lane[]): void | Promise<void> {
    const { queue, clock, epochOf, roomInMemory } = this.#parts;
    const nowMs = clock.now();
    const share = Math.min(READ_AHEAD, Math.floor(roomInMemory() / lanes.length));
    const asked = new Map<LaneRequest, Lane>();
    for (const lane of lanes) {
      const epoch = epochOf(lane.shard);
      if (epoch === undefined || !lane.config) continue;
      if (lane.config.restating && lane.isReadable(nowMs))
        void this.#restate(lane, lane.config.ordered);
      else if (lane.isReadable(nowMs)) asked.set(lane.beginRead(epoch, share), lane);
      else this.#parts.ready(lane);
    }
    if (asked.size === 0) return undefined;
    const requests = [...asked.keys()];
    const taken = (work: readonly LaneWork[]) => this.#take([...asked.values()], requests, work);
    const failed = (error: unknown) => {
      for (const lane of asked.values()) lane.breakOffRead();
      return this.#putOff([...asked.values()], error, 'due deliveries cannot be read');
    };
    try {
      const work = queue.due(requests, nowMs);
      return work instanceof Promise ? work.then(taken).catch(failed) : taken(work);
    } catch (error) {
      return failed(error);
    }
  }

  #take(lanes: readonly Lane[], requests: readonly LaneRequest[], work: readonly LaneWork[]): void {
    for (const [i, lane] of lanes.entries()) {
      const read = work[i] as LaneWork;
      const { config } = lane;
      if (!config || this.#parts.epochOf(lane.shard) !== requests[i]?.epoch) {
        lane.breakOffRead();
        this.watch(lane);
      } else if (read.due.some(({ order_key }) => (order_key !== null) !== config.ordered)) {
        lane.breakOffRead();
        void this.#restate(lane, config.ordered);
      } else if (config.restating) {
        // It was changed during the read.
        lane.breakOffRead();
        this.watch(lane);
      } else {
        lane.endRead(read);
        this.#parts.ready(lane);
      }
    }
  }

  /**
   * The rows were queued under another rule than the lane knows: either the lane has the old rule, or
   * the midoffice was changed, perhaps while the events were accepted.
   */
  async #restate(lane: Lane, ordered: boolean): Promise<void> {
    if (this.#restating.has(lane)) return;
    this.#restating.add(lane);
    try {
      await this.reload([lane]);
      if (lane.config?.restating || lane.config?.ordered === ordered) {
        await this.#parts.queue.restateOrder(lane.midofficeId, this.#parts.clock.now());
        await this.reload([lane]);
      }
      this.#restating.delete(lane);
      lane.forget();
      this.#parts.ready(lane);
    } catch (error) {
      this.#restating.delete(lane);
      this.#putOff(
        [lane],
        error,
        'deliveries cannot be queued again under the changed delivery order',
      );
    }
  }

  #putOff(lanes: readonly Lane[], error: unknown, text: string): void {
    if (this.#isStopped) return;
    this.#parts.log.warn({ err: error }, text);
    setTimeout(() => {
      for (const lane of lanes) this.watch(lane);
    }, RETRY_AFTER_FAULT_MS).unref();
  }
}
