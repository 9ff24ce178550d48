/**
 * Finds due work for the lanes of this node: reads the rows of those that run low, many lanes in one
 * query, and wakes the others at their time. Nothing here looks at all lanes, or at all midoffices,
 * but the slow sweep, which looks at those that have work.
 */
import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import { Coalesced } from './coalesced.ts';
import { type Lane, READ_AHEAD } from './lane.ts';
import type { DeliveryQueue, LaneRequest, LaneWork } from './queue.ts';
import type { LaneConfig } from './stages.ts';
import { WakeTimes } from './wake-times.ts';

const LANES_AT_ONCE = 100;
const RETRY_AFTER_FAULT_MS = 500;

export interface DueWorkParts {
  queue: Pick<DeliveryQueue, 'lanes' | 'due' | 'restateOrder'>;
  clock: Clock;
  log: Log;
  /** Undefined if the shard is not ours. */
  epochOf(shard: number): number | undefined;
  /** How far lanes may read ahead now; 0 once many rows are in memory. */
  readAhead(): number;
  /** It has rows that may begin, or wants to be looked at again. */
  ready(lane: Lane): void;
}

export class DueWork {
  readonly #parts: DueWorkParts;
  readonly #unread = new Set<Lane>();
  readonly #reading = new Coalesced(() => this.#read());
  readonly #wakeTimes = new WakeTimes();
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #isStopped = false;

  constructor(parts: DueWorkParts) {
    this.#parts = parts;
  }

  get isIdle(): boolean {
    return this.#reading.isIdle;
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#unread.clear();
  }

  /** Sees to it that the lane is read when it is time. */
  watch(lane: Lane): void {
    if (this.#isStopped || this.#parts.epochOf(lane.shard) === undefined) return;
    const nowMs = this.#parts.clock.now();
    if (lane.isReadable(nowMs) || (!lane.config && lane.hasQueued)) {
      this.#unread.add(lane);
      this.#reading.ask();
    } else if (lane.readAtMs < lane.wakesAtMs && lane.readAtMs > nowMs) {
      lane.wakesAtMs = lane.readAtMs;
      this.#wakeTimes.add(lane, lane.readAtMs);
      this.#setTimer();
    }
  }

  /** Reads the midoffices of these lanes again. */
  async reload(lanes: readonly Lane[]): Promise<void> {
    const configs = await this.#parts.queue.lanes(lanes.map((lane) => lane.midofficeId));
    const byId = new Map(configs.map((config) => [config.midofficeId, config]));
    for (const lane of lanes) lane.config = byId.get(lane.midofficeId) ?? lane.config;
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
    for (const lane of this.#wakeTimes.takeDue(this.#parts.clock.now())) {
      lane.wakesAtMs = Number.POSITIVE_INFINITY;
      this.watch(lane);
    }
    if (!this.#isStopped && this.#wakeTimes.soonestMs < Number.POSITIVE_INFINITY) this.#setTimer();
  }

  #read(): void | Promise<void> {
    const lanes = [...this.#unread].slice(0, LANES_AT_ONCE);
    for (const lane of lanes) this.#unread.delete(lane);
    if (this.#unread.size > 0) this.#reading.ask();
    const strangers = lanes.filter((lane) => !lane.config);
    if (strangers.length > 0) return this.#readAfterLoading(lanes, strangers);
    return this.#readLanes(lanes);
  }

  async #readAfterLoading(lanes: readonly Lane[], strangers: readonly Lane[]): Promise<void> {
    try {
      await this.reload(strangers);
    } catch (error) {
      return this.#putOff(lanes, error, 'midoffices cannot be read');
    }
    await this.#readLanes(lanes);
  }

  #readLanes(lanes: readonly Lane[]): void | Promise<void> {
    const { queue, clock, epochOf, readAhead } = this.#parts;
    const nowMs = clock.now();
    const asked = new Map<LaneRequest, Lane>();
    for (const lane of lanes) {
      const epoch = epochOf(lane.shard);
      if (epoch === undefined || !lane.config) continue;
      const limit = Math.min(READ_AHEAD, Math.max(readAhead(), lane.config.maxInFlight));
      if (lane.isReadable(nowMs)) asked.set(lane.beginRead(epoch, limit), lane);
      else this.#parts.ready(lane);
    }
    if (asked.size === 0) return undefined;
    const requests = [...asked.keys()];
    const inFull = (work: readonly LaneWork[]) => this.#take([...asked.values()], requests, work);
    const failed = (error: unknown) => {
      for (const lane of asked.values()) lane.breakOffRead();
      return this.#putOff([...asked.values()], error, 'due deliveries cannot be read');
    };
    try {
      const work = queue.due(requests, nowMs);
      return work instanceof Promise ? work.then(inFull).catch(failed) : inFull(work);
    } catch (error) {
      return failed(error);
    }
  }

  #take(
    lanes: readonly Lane[],
    requests: readonly LaneRequest[],
    work: readonly LaneWork[],
  ): void | Promise<void> {
    const restated: Lane[] = [];
    for (const [i, lane] of lanes.entries()) {
      const read = work[i] as LaneWork;
      const { ordered } = lane.config as LaneConfig;
      if (this.#parts.epochOf(lane.shard) !== requests[i]?.epoch) {
        lane.breakOffRead();
      } else if (read.due.some(({ orderKey }) => (orderKey !== null) !== ordered)) {
        lane.breakOffRead();
        restated.push(lane);
      } else {
        lane.endRead(read);
        this.#parts.ready(lane);
      }
    }
    if (restated.length > 0) return this.#restate(restated);
  }

  /** Rows queued under another rule than the midoffice has: it was changed while they were accepted. */
  async #restate(lanes: readonly Lane[]): Promise<void> {
    try {
      await this.reload(lanes);
      for (const lane of lanes) {
        await this.#parts.queue.restateOrder(lane.midofficeId, this.#parts.clock.now());
        lane.forget();
        this.#parts.ready(lane);
      }
    } catch (error) {
      await this.#putOff(lanes, error, 'the order of deliveries cannot be restated');
    }
  }

  async #putOff(lanes: readonly Lane[], error: unknown, text: string): Promise<void> {
    if (this.#isStopped) return;
    this.#parts.log.warn({ err: error }, text);
    setTimeout(() => {
      for (const lane of lanes) this.watch(lane);
    }, RETRY_AFTER_FAULT_MS).unref();
  }
}
