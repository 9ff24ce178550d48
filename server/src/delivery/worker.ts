/**
 * The delivery worker of one node: due → sign → POST → settle, for the midoffices of the shards that
 * it owns.
 *
 *     ownership.ts   which shards are ours, and until when
 *     lane.ts        one midoffice: rows in memory, in flight, when to read the table again
 *     due-work.ts    reads the table for lanes that run low
 *     attempts.ts    sign and POST
 *     settling.ts    records outcomes, a batch at a time
 *     sweep.ts       finds what nobody was told of
 *     draining.ts    the end: what is in flight finishes, or is left to others
 *
 * Lanes share nothing that waits for a receiver, so a lane whose receiver hangs is full and costs the
 * others nothing. Whatever dies on the way leaves its row in the queue, and the lane's next owner
 * attempts it again: an attempt may be repeated, never lost.
 */
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Counter } from '../metrics.ts';
import type { Poster } from '../receiver/post.ts';
import { Attempts } from './attempts.ts';
import { Coalesced } from './coalesced.ts';
import { drained } from './draining.ts';
import { DueWork } from './due-work.ts';
import type { Lane } from './lane.ts';
import { Lanes } from './lanes.ts';
import { Ownership } from './ownership.ts';
import {
  type DeliveryQueue,
  type Notice,
  type Settled,
  type ShardLeases,
  shardOf,
} from './queue.ts';
import { Settling } from './settling.ts';
import type { Signer } from './sign.ts';
import type { Attempted, Due, LaneConfig } from './stages.ts';
import { Sweep } from './sweep.ts';

/** Rows in memory beyond which lanes read no further ahead than they need. */
const MOST_ROWS = 20_000;
/**
 * A failed attempt keeps its slot for at least this long. A receiver that refuses at once would
 * otherwise be hammered with all that waits for it, and leave the others little of the processor.
 */
const FAILED_SLOT_MS = 100;

export interface WorkerParts {
  queue: DeliveryQueue;
  leases: ShardLeases;
  sign: Signer;
  poster: Poster;
  schedule: readonly number[];
  clock: Clock;
  /** For leases, which run in real time. */
  leaseClock: Clock;
  log: Log;
  shardsTaken: Counter;
  /** Outcomes that came too late: another node had taken the shard over. */
  outcomesFenced: Counter;
  /** Hears of every settled attempt: log line, metrics, alerts. */
  record(settled: Settled, lane: LaneConfig | undefined): void;
}

export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #lanes = new Lanes();
  readonly ownership: Ownership;
  readonly #dueWork: DueWork;
  readonly #attempts: Attempts;
  readonly #settling: Settling;
  readonly #sweep: Sweep;
  readonly #freed = new Set<Lane>();
  readonly #refill = new Coalesced(() => this.#pumpFreed());
  #isStopping = false;
  #unsubscribe: () => void = () => {};

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.ownership = new Ownership({
      ...parts,
      clock: parts.leaseClock,
      inFlight: () => this.#attempts.byShard,
      gained: (shards) => this.#begin(shards),
      lapsed: (shards) => this.#attempts.breakOff(new Set(shards)),
      lost: (shards) => this.#drop(new Set(shards)),
      taken: (count) => parts.shardsTaken.add(count),
    });
    this.#sweep = new Sweep({
      ...parts,
      timers: parts.leaseClock,
      ownShards: () => this.ownership.shards,
      found: (midofficeId, nextDueAtMs) => this.#wake(midofficeId, nextDueAtMs),
    });
    this.#dueWork = new DueWork({
      ...parts,
      epochOf: (shard) => this.epochOf(shard),
      roomInMemory: () => MOST_ROWS - this.#lanes.queuedRows,
      ready: (lane) => this.#pump(lane),
    });
    this.#attempts = new Attempts({
      ...parts,
      isOurs: ({ shard, epoch }) => this.ownership.isOurs(shard, epoch),
      attempted: (attempted) => this.#attempted(attempted),
      brokenOff: (due) => this.#brokenOff(due),
    });
    this.#settling = new Settling({
      ...parts,
      settled: (settled) => this.#settled(settled),
      fenced: (due) => this.#fenced(due),
      record: (settled) =>
        parts.record(settled, this.#lanes.get(settled.settlement.due.midofficeId)?.config),
      eased: () => this.#pumpAll(),
    });
  }

  get attemptsInFlight(): number {
    return this.#attempts.count;
  }

  isInFlight(seq: number): boolean {
    return this.#attempts.has(seq);
  }

  /** The epoch under which attempts in this shard may begin; undefined if they must not. */
  epochOf(shard: number): number | undefined {
    return this.#isStopping ? undefined : this.ownership.epochOf(shard);
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#parts.queue.onNotice((notice) => this.#heed(notice));
    await this.ownership.tick();
    this.#sweep.start();
  }

  /** To be taken before rows are stored that are handed over later. */
  get mark(): number {
    return this.#lanes.reads;
  }

  /** Rows accepted a moment ago. The owner of a shard that was lost meanwhile is told by notice. */
  handOver(work: readonly Due[], mark: number): void {
    const nowMs = this.#parts.clock.now();
    const lanes = new Set<Lane>();
    const lost = new Set<string>();
    for (const due of work) {
      if (this.epochOf(due.shard) === due.epoch) {
        const lane = this.#lanes.of(due.midofficeId);
        lane.handOver(due, { mark, nowMs });
        lanes.add(lane);
      } else {
        lost.add(due.midofficeId);
      }
    }
    for (const lane of lanes) this.#pump(lane);
    if (lost.size > 0) void this.#announce([...lost]);
  }

  /** Midoffices or signing keys were changed: reads the midoffices concerned again. */
  async reload(changedIds: readonly string[]): Promise<void> {
    const lanes = this.#lanes.concernedBy(new Set(changedIds));
    if (lanes.length === 0) return;
    try {
      await this.#dueWork.reload(lanes);
    } catch (error) {
      // Without a config each is read again before it is used.
      for (const lane of lanes) lane.config = undefined;
      this.#parts.log.warn({ err: error }, 'midoffices cannot be read');
    }
    for (const lane of lanes) this.#pump(lane);
  }

  /** No new attempts; what is in flight finishes, or is left for another node to attempt. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#unsubscribe();
    this.#sweep.stop();
    this.#dueWork.stop();
    await drained({
      ...this.#parts,
      attempts: this.#attempts,
      settling: this.#settling,
      retire: () => this.ownership.retire(),
    });
    await this.ownership.leave();
  }

  /** Starts what the lane can start, and has it read when it wants rows. */
  #pump(lane: Lane): void {
    if (this.epochOf(lane.shard) === undefined) return;
    while (!this.#settling.isFull) {
      const due = lane.take();
      if (!due) break;
      void this.#attempts.begin(due, lane.config as LaneConfig);
    }
    this.#dueWork.watch(lane);
  }

  /** All that became free in one turn, together: the receivers are woken once, not once for each. */
  #pumpFreed(): void {
    const freed = [...this.#freed];
    this.#freed.clear();
    for (const lane of freed) this.#pump(lane);
  }

  #pumpAll(): void {
    for (const lane of this.#lanes.all) this.#pump(lane);
  }

  #wake(midofficeId: string, atMs: number): void {
    const lane = this.#lanes.of(midofficeId);
    lane.wake(atMs);
    this.#pump(lane);
  }

  #heed(notice: Notice): void {
    if (notice.kind === 'shards') {
      void this.ownership.tick();
    } else if (notice.kind === 'lost') {
      for (const lane of this.#lanes.all) lane.forget();
      this.#pumpAll();
      void this.#sweep.through(this.ownership.shards);
    } else {
      for (const id of notice.midofficeIds) {
        if (this.epochOf(shardOf(id)) === undefined) continue;
        if (notice.kind === 'changed') this.#lanes.get(id)?.forget();
        this.#wake(id, 0);
      }
    }
  }

  /** The receiver is free for the next one; what came of this one is recorded together with others. */
  #attempted(attempted: Attempted): void {
    const { due, attempt } = attempted;
    const keepSlotMs = attempt.outcome === 'failed' ? FAILED_SLOT_MS - attempt.durationMs : 0;
    this.#settling.add(attempted);
    this.#freeSlot(due, keepSlotMs);
  }

  #brokenOff(due: Due): void {
    this.#freeSlot(due);
    this.#end(due);
  }

  #freeSlot(due: Due, inMs = 0): void {
    const lane = this.#lanes.get(due.midofficeId);
    if (!lane?.has(due)) return;
    const free = () => {
      lane.freeSlot();
      this.#freed.add(lane);
      this.#refill.ask();
    };
    if (inMs > 0) setTimeout(free, inMs).unref();
    else free();
  }

  #settled({ settlement, state, dueAtMs }: Settled): void {
    const { due } = settlement;
    // A cancelled one may have been queued again at this moment.
    const nextMs = state === 'cancelled' ? 0 : dueAtMs;
    if (nextMs !== null) this.#lanes.get(due.midofficeId)?.wake(nextMs);
    this.#end(due);
  }

  #fenced(due: Due): void {
    this.#parts.outcomesFenced.add();
    void this.ownership.tick();
    this.#end(due);
  }

  #end(due: Due): void {
    this.#attempts.end(due);
    const lane = this.#lanes.get(due.midofficeId);
    if (lane?.end(due)) this.#pump(lane);
  }

  /** Shards that are ours from now on, or again. */
  #begin(shards: readonly number[]): void {
    const ours = new Set(shards);
    for (const lane of this.#lanes.all) {
      if (!ours.has(lane.shard)) continue;
      // Support may have changed its rows unheard.
      lane.forget();
      this.#pump(lane);
    }
    void this.#sweep.through(shards);
  }

  /** Shards that are no longer ours. */
  #drop(shards: ReadonlySet<number>): void {
    this.#attempts.breakOff(shards);
    this.#lanes.drop(shards);
  }

  async #announce(midofficeIds: readonly string[]): Promise<void> {
    try {
      await this.#parts.queue.announce(midofficeIds);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'new work could not be announced; a sweep finds it');
    }
  }
}
