/**
 * The delivery worker of one node: due → sign → POST → settle, for the midoffices in the shards that
 * this node owns.
 *
 *     ownership.ts   which shards this node owns, and until when
 *     lane.ts        one midoffice: its rows in memory, its attempts in flight, its next read
 *     pace.ts        how many of them begin in a second
 *     due-work.ts    reads the table for lanes that run low
 *     attempts.ts    sign and POST
 *     settling.ts    records outcomes, a batch at a time
 *     set-back-clock.ts  notices that due times have moved into the future
 *     sweep.ts       finds work whose notice was lost
 *     draining.ts    the stop: attempts in flight finish, or another node repeats them
 *
 * Work comes by `handOver`, from the sweep, or from a read. `#pump` begins what a lane has slots for, and `#deliver` is
 * the whole path of one delivery from there. The parts know neither the worker nor each other.
 *
 * Lanes share nothing that waits for a receiver. A lane whose receiver hangs fills up and costs the
 * other lanes nothing. After a crash the row is still in the queue, and the lane's next owner attempts
 * it again: an attempt may be repeated, but it is never lost.
 */
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { Counter } from '../base/metrics.ts';
import type { Tracer } from '../base/tracing/tracer.ts';
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
import { isRepeated } from './schedule.ts';
import { SetBackClock } from './set-back-clock.ts';
import { Settling } from './settling.ts';
import type { Signer } from './sign.ts';
import type { Attempted, Due, LaneConfig } from './stages.ts';
import { Sweep } from './sweep.ts';

/** Above this many rows in memory, lanes stop reading ahead. */
const MOST_ROWS = 20_000;
/**
 * A failed attempt keeps its slot for at least this long. Otherwise a receiver that refuses at once
 * would get its whole backlog in a burst, and the other lanes would get little CPU time.
 */
const FAILED_SLOT_MS = 100;
/** Support changes very many deliveries in groups. A lane reads again after the first, and then no more often than this. */
const REST_MS = 50;

export interface WorkerParts {
  queue: DeliveryQueue;
  leases: ShardLeases;
  sign: Signer;
  poster: Poster;
  schedule: readonly number[];
  clock: Clock;
  /** Leases run in real time. */
  leaseClock: Clock;
  log: Log;
  /** Undefined if attempts are not traced. */
  tracer?: Tracer | undefined;
  shardsTaken: Counter;
  /** Outcomes discarded because another node had taken over the shard. */
  outcomesFenced: Counter;
  /** Called for every settled attempt: writes the log line, metrics and alerts. */
  record(settled: Settled, lane: LaneConfig | undefined): void;
}

export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #lanes: Lanes;
  readonly ownership: Ownership;
  readonly #dueWork: DueWork;
  readonly #attempts: Attempts;
  readonly #settling: Settling;
  readonly #sweep: Sweep;
  readonly #setBackClock: SetBackClock;
  readonly #freed = new Set<Lane>();
  /** Lanes with a timer for the moment at which their pace lets the next attempt begin. */
  readonly #paced = new Set<Lane>();
  readonly #refill = new Coalesced(() => this.#pumpFreed());
  #isStopping = false;
  #unsubscribe: () => void = () => {};

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    this.#lanes = new Lanes(parts.clock);
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
    this.#setBackClock = new SetBackClock({
      ...parts,
      ownShards: () => this.ownership.shards,
      pulled: (midofficeId) => this.#readAgain(midofficeId),
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
    });
    this.#settling = new Settling({ ...parts, eased: () => this.#pumpAll() });
  }

  get attemptsInFlight(): number {
    return this.#attempts.count;
  }

  isInFlight(seq: number): boolean {
    return this.#attempts.has(seq);
  }

  /** The epoch for new attempts in this shard; undefined if none may begin. */
  epochOf(shard: number): number | undefined {
    return this.#isStopping ? undefined : this.ownership.epochOf(shard);
  }

  async start(): Promise<void> {
    this.#unsubscribe = this.#parts.queue.onNotice((notice) => this.#onNotice(notice));
    await this.ownership.tick();
    this.#sweep.start();
    this.#setBackClock.start();
  }

  /** Read this before storing rows, and pass it to `handOver` afterwards. */
  get mark(): number {
    return this.#lanes.reads;
  }

  /** Takes rows that were just accepted. If a shard was lost meanwhile, a notice tells its new owner. */
  handOver(work: readonly Due[], mark: number): void {
    const nowMs = this.#parts.clock.now();
    const lanes = new Set<Lane>();
    const lost = new Set<string>();
    for (const due of work) {
      if (this.epochOf(due.shard) === due.epoch) {
        const lane = this.#lanes.of(due.midoffice_id);
        lane.handOver(due, { mark, nowMs });
        lanes.add(lane);
      } else {
        lost.add(due.midoffice_id);
      }
    }
    for (const lane of lanes) this.#pump(lane);
    if (lost.size > 0) void this.#announce([...lost]);
  }

  /** Reads midoffices again after they, or their signing keys, were changed. */
  async reload(changedIds: readonly string[]): Promise<void> {
    const lanes = this.#lanes.concernedBy(new Set(changedIds));
    if (lanes.length === 0) return;
    try {
      await this.#dueWork.reload(lanes);
    } catch (error) {
      // A lane without a config reads it before its next attempt.
      for (const lane of lanes) lane.config = undefined;
      this.#parts.log.warn(
        { err: error },
        'midoffices cannot be read; trying again before their next attempt',
      );
    }
    for (const lane of lanes) this.#pump(lane);
  }

  /** Starts no new attempts. Those in flight finish, or another node repeats them. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    this.#unsubscribe();
    this.#sweep.stop();
    this.#setBackClock.stop();
    this.#dueWork.stop();
    await drained({
      ...this.#parts,
      attempts: this.#attempts,
      settling: this.#settling,
      retire: () => this.ownership.retire(),
    });
    await this.ownership.leave();
  }

  /** Starts the attempts that the lane has slots for, and schedules its next read. */
  #pump(lane: Lane): void {
    if (this.epochOf(lane.shard) === undefined) return;
    // A lane that was refused a row must be given a timer, so both go by one reading of the clock.
    let nowMs = this.#parts.clock.monotonic();
    for (; !this.#settling.isFull; nowMs = this.#parts.clock.monotonic()) {
      const due = lane.take(nowMs);
      if (!due) break;
      this.#deliver(due, lane).catch((error) => {
        // An error of ours, in a log line or a metric at most: it must not end the process.
        this.#parts.log.error({ err: error }, 'what follows a delivery has failed');
      });
    }
    this.#awaitPace(lane, nowMs);
    this.#dueWork.watch(lane);
  }

  /** A lane that waits for its pace has rows in memory and one timer, and nothing that other lanes need. */
  #awaitPace(lane: Lane, nowMs: number): void {
    const opensAtMs = lane.opensAtMs(nowMs);
    if (opensAtMs === undefined || this.#paced.has(lane)) return;
    this.#paced.add(lane);
    this.#parts.clock.after(Math.ceil(opensAtMs - nowMs), () => {
      this.#paced.delete(lane);
      this.#pump(lane);
    });
  }

  /** Returns what to call when the webhook is sent, or never will be. */
  #pacing(lane: Lane): () => void {
    let isSent = false;
    return () => {
      if (isSent) return;
      isSent = true;
      lane.sent(this.#parts.clock.monotonic());
      if (lane.config?.max_per_second) this.#refillSoon(lane);
    };
  }

  #refillSoon(lane: Lane): void {
    this.#freed.add(lane);
    this.#refill.ask();
  }

  /**
   * The path of one delivery. Two ways lead off it without a record; the row is still in the queue then, and its owner
   * attempts it again.
   */
  async #deliver(due: Due, lane: Lane): Promise<void> {
    const sent = this.#pacing(lane);
    const attempted = await this.#attempts.make(due, lane.config as LaneConfig, sent);
    sent();
    if (!attempted) {
      // The lease ended during the attempt.
      this.#freeSlot(due);
      this.#end(due);
      return;
    }
    const writing = this.#settling.settle(attempted);
    const keepsSlot = isRepeated(attempted.attempt);
    // The slot is free before the outcome is written, which takes a batch.
    if (!keepsSlot) this.#freeSlot(due, slotKeptMs(attempted));
    const written = await writing;
    if (!written) {
      // Another node owned the shard at the commit.
      this.#parts.outcomesFenced.add();
      void this.ownership.tick();
      if (keepsSlot) this.#freeSlot(due);
      this.#end(due);
      return;
    }
    const { settled, synced } = written;
    if (keepsSlot && settled.due_at !== null && settled.due_at <= this.#parts.clock.now()) {
      this.#repeat(settled);
    } else {
      if (keepsSlot) this.#freeSlot(due);
      this.#wakeForNext(settled);
      this.#end(due);
    }
    // Nobody is told of what a power cut could undo.
    if (await synced) this.#parts.record(settled, this.#lanes.get(due.midoffice_id)?.config);
  }

  /** From memory, because a backlog in the table would come first. */
  #repeat({ settlement: { due, attempt } }: Settled): void {
    this.#attempts.end(due);
    const lane = this.#lanes.get(due.midoffice_id);
    const next = { ...due, attempts_made: attempt.number, onNewConnection: true } as const;
    if (lane?.repeat(due, next)) this.#pump(lane);
  }

  #freeSlot(due: Due, inMs = 0): void {
    const lane = this.#lanes.get(due.midoffice_id);
    if (!lane?.has(due)) return;
    const free = () => {
      lane.freeSlot();
      this.#refillSoon(lane);
    };
    if (inMs > 0) setTimeout(free, inMs).unref();
    else free();
  }

  /** Refills all slots freed in one turn together, so a receiving process wakes once, not once for each. */
  #pumpFreed(): void {
    const freed = [...this.#freed];
    this.#freed.clear();
    for (const lane of freed) this.#pump(lane);
  }

  #wakeForNext({ settlement, state, due_at }: Settled): void {
    // Support may have queued a cancelled delivery again just now.
    const nextMs = state === 'cancelled' ? 0 : due_at;
    if (nextMs !== null) this.#lanes.get(settlement.due.midoffice_id)?.wake(nextMs);
  }

  /** The order's next event may go, and the lane has something to do. */
  #end(due: Due): void {
    this.#attempts.end(due);
    const lane = this.#lanes.get(due.midoffice_id);
    if (lane?.end(due)) this.#pump(lane);
  }

  #pumpAll(): void {
    for (const lane of this.#lanes.all) this.#pump(lane);
  }

  #wake(midofficeId: string, atMs: number): void {
    const lane = this.#lanes.of(midofficeId);
    lane.wake(atMs);
    this.#pump(lane);
  }

  /** The rows that the lane holds in memory may be out of date. */
  #readAgain(midofficeId: string): void {
    const lane = this.#lanes.get(midofficeId);
    if (lane?.changed()) this.#rest(lane);
    this.#wake(midofficeId, 0);
  }

  #rest(lane: Lane): void {
    setTimeout(() => {
      if (!lane.rested()) return;
      this.#rest(lane);
      this.#pump(lane);
    }, REST_MS).unref();
  }

  #onNotice(notice: Notice): void {
    if (notice.kind === 'shards') {
      void this.ownership.tick();
    } else if (notice.kind === 'failover') {
      const due = this.#lanes.known;
      this.ownership.giveUp();
      notice.keep({ due, outcomes: this.#settling.giveBack() });
    } else if (notice.kind === 'lost') {
      for (const lane of this.#lanes.all) lane.forget();
      this.#pumpAll();
      void this.#sweep.through(this.ownership.shards);
    } else {
      for (const id of notice.midofficeIds) {
        if (this.epochOf(shardOf(id)) === undefined) continue;
        if (notice.kind === 'changed') this.#readAgain(id);
        else this.#wake(id, 0);
      }
    }
  }

  /** This node has gained these shards, or has them again after a lapse. */
  #begin(shards: readonly number[]): void {
    for (const lane of this.#lanes.gained(shards)) this.#pump(lane);
    void this.#sweep.through(shards);
    this.#setBackClock.owe(shards);
  }

  /** This node has lost these shards. */
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

function slotKeptMs({ attempt }: Attempted): number {
  return attempt.outcome === 'failed' ? FAILED_SLOT_MS - attempt.duration_ms : 0;
}
