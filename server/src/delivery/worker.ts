/**
 * The delivery worker of one node: claim → sign → POST → settle.
 *
 * Each midoffice has a lane (lanes.ts). Lanes share nothing but the pump, which never waits for a
 * receiver, so a lane whose receiver hangs is full and costs the others nothing.
 *
 * A delivery in flight is Claimed (leased in the store) → Signed → Attempted → settled. Outcomes that
 * come in together are settled in one transaction. Whatever dies on the way leaves the lease to run
 * out in the store, and the delivery is claimed again: an attempt may be repeated, never lost.
 */
import { randomBytes } from 'node:crypto';
import type { Clock, Timer } from '../clock.ts';
import type { Log } from '../log.ts';
import { recordOf, recordOfUnsigned } from './attempt-record.ts';
import type { DeliveryStore } from './delivery-store.ts';
import { type Lane, Lanes } from './lanes.ts';
import type { Poster } from './receiver/post.ts';
import { settlementOf } from './schedule.ts';
import type { Signer } from './sign.ts';
import type {
  Attempted,
  AttemptRecord,
  Claimed,
  LaneConfig,
  Settlement,
  Signed,
} from './stages.ts';

/** How long a lease outlasts the longest attempt: time to settle, also when the database is slow. */
const LEASE_MARGIN_MS = 20_000;
/** Safety net: work that nobody announced is found this much later. */
const POLL_MS = 2_000;
const RETRY_AFTER_FAULT_MS = 500;
/**
 * A failed attempt keeps its slot for at least this long. A receiver that refuses at once would
 * otherwise be hammered with all that waits for it, and leave the others little of the processor.
 */
const FAILED_SLOT_MS = 100;
/** In-flight attempts have this long to finish when the process stops; then they are given back. */
const DRAIN_MS = 8_000;

export interface WorkerParts {
  store: DeliveryStore;
  sign: Signer;
  poster: Poster;
  schedule: readonly number[];
  receiverTimeoutMs: number;
  clock: Clock;
  log: Log;
  /** Hears of every settled attempt: log line, metrics, alerts. */
  record(settlement: Settlement, lane: LaneConfig): void;
}

export class DeliveryWorker {
  readonly #parts: WorkerParts;
  readonly #node = randomBytes(6).toString('hex');
  readonly #lanes = new Lanes();
  readonly #inFlight = new Set<Claimed>();
  readonly #toSettle: Attempted[] = [];
  #claims = 0;
  #timer: Timer | undefined;
  #poll: Timer | undefined;
  #pumpAsked = false;
  #pumping = false;
  #settling = false;
  /** While it does, nothing is claimed: what has been attempted, but not recorded, would be again. */
  #settleFails = false;
  /** Batches that are settled, but would not outlive a power cut yet. */
  #syncing = 0;
  #stopping = false;
  #cutOff = false;
  #idle: (() => void) | undefined;
  #unsubscribe: () => void = () => {};

  constructor(parts: WorkerParts) {
    this.#parts = parts;
  }

  async start(): Promise<void> {
    await this.#parts.store.voidLeases();
    this.#unsubscribe = this.#parts.store.onWork((midofficeIds) => this.wake(midofficeIds));
    await this.#refresh();
    this.#schedulePoll();
  }

  /** Work may have come in, or the midoffice was changed; without any named, that of any. */
  wake(midofficeIds: readonly string[]): void {
    if (midofficeIds.length === 0) void this.#refresh();
    const unknown = this.#lanes.wake(midofficeIds);
    if (unknown.length > 0) void this.#refresh(unknown);
    this.#askForPump();
  }

  /** Midoffices or signing keys were changed: reads the midoffices concerned anew. */
  async reload(changedIds: readonly string[]): Promise<void> {
    const midofficeIds = new Set([
      ...changedIds.filter((id) => id.startsWith('mid_')),
      ...this.#lanes.signingWith(new Set(changedIds)),
    ]);
    if (midofficeIds.size > 0) await this.#refresh([...midofficeIds]);
  }

  get attemptsInFlight(): number {
    return this.#inFlight.size;
  }

  /** No new claims; what is in flight finishes, or is given back for another node to attempt. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    this.#poll?.cancel();
    if (this.#isBusy()) {
      const finished = new Promise<void>((resolve) => {
        this.#idle = resolve;
      });
      const cut = setTimeout(() => {
        this.#cutOff = true;
        void this.#parts.poster.close().then(() => this.#finishIfIdle());
      }, DRAIN_MS);
      await finished;
      clearTimeout(cut);
    }
    try {
      await this.#parts.store.release([...this.#inFlight]);
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'leases could not be given back; they run out');
    }
  }

  #isBusy(): boolean {
    return this.#pumping || this.#settling || this.#syncing > 0 || this.#inFlight.size > 0;
  }

  #schedulePoll(): void {
    this.#poll = this.#parts.clock.after(POLL_MS, async () => {
      await this.#refresh();
      if (!this.#stopping) this.#schedulePoll();
    });
  }

  async #refresh(midofficeIds?: readonly string[]): Promise<void> {
    try {
      for (const state of await this.#parts.store.lanes(midofficeIds)) this.#lanes.update(state);
      this.#askForPump();
    } catch (error) {
      if (!this.#stopping) this.#parts.log.warn({ err: error }, 'midoffices cannot be read');
    }
  }

  /** Everything that asks within one turn of the event loop is served by one claim. */
  #askForPump(): void {
    if (this.#pumpAsked || this.#stopping) return;
    this.#pumpAsked = true;
    setImmediate(() => {
      this.#pumpAsked = false;
      void this.#pump();
    });
  }

  async #pump(): Promise<void> {
    if (this.#pumping || this.#settleFails || this.#stopping) return;
    this.#pumping = true;
    const lanes = this.#lanes.ready(this.#parts.clock.now());
    try {
      if (lanes.length > 0) await this.#claim(lanes);
      else this.#setTimer();
    } catch (error) {
      this.#parts.log.warn({ err: error }, 'deliveries cannot be claimed');
      for (const lane of lanes) lane.wake();
      this.#parts.clock.after(RETRY_AFTER_FAULT_MS, () => this.#askForPump());
    } finally {
      this.#pumping = false;
      this.#finishIfIdle();
    }
  }

  async #claim(lanes: readonly Lane[]): Promise<void> {
    const { store, clock, receiverTimeoutMs, log } = this.#parts;
    const nowMs = clock.now();
    const leaseUntilMs = nowMs + receiverTimeoutMs + LEASE_MARGIN_MS;
    for (const lane of lanes) lane.beginClaim();
    const { claimed, next } = await store.claim({
      lanes: lanes.map(({ config, freeSlots }) => ({
        midofficeId: config.midofficeId,
        free: freeSlots,
      })),
      nowMs,
      leaseUntilMs,
      lease: `${this.#node}-${++this.#claims}`,
    });
    const late: Claimed[] = [];
    for (const one of claimed) {
      // Asked of each: the process may stand still at any moment, also between two of them.
      if (clock.now() + receiverTimeoutMs > leaseUntilMs) {
        late.push(one);
        continue;
      }
      this.#lanes.of(one.midofficeId).take();
      this.#inFlight.add(one);
      void this.#attempt(one);
    }
    if (late.length > 0) {
      // This node or the database stood still. Another node may have them by now, or before an
      // attempt of ours has ended, and an order's next event with them.
      log.warn({ count: late.length }, 'a claim came back too late and is given up');
      for (const lane of lanes) lane.wake();
      await store.release(late);
    }
    const nextWork = await next;
    for (const lane of lanes) lane.endClaim(nextWork);
    this.#askForPump();
  }

  async #attempt(claimed: Claimed): Promise<void> {
    const { poster, clock } = this.#parts;
    const lane = this.#lanes.of(claimed.midofficeId);
    const startedAtMs = clock.now();
    const signed = this.#sign(claimed, lane.config);
    if (!signed) {
      this.#attempted(claimed, recordOfUnsigned(claimed, lane.config, startedAtMs));
      return;
    }
    const outcome = await poster.post(signed.url, signed.headers, signed.body);
    if (outcome.kind === 'failed' && outcome.code === 'aborted') {
      lane.free();
      this.#finishIfIdle();
      return;
    }
    this.#attempted(claimed, recordOf(signed, outcome, startedAtMs));
  }

  /** Undefined if it cannot be signed (a sealed key that does not open), which is an attempt too. */
  #sign(claimed: Claimed, lane: LaneConfig): Signed | undefined {
    try {
      return this.#parts.sign(claimed, lane);
    } catch (error) {
      this.#parts.log.error({ err: error, delivery: claimed.seq }, 'a webhook could not be signed');
      return undefined;
    }
  }

  #attempted(claimed: Claimed, attempt: AttemptRecord): void {
    this.#toSettle.push({ claimed, attempt, endedAtMs: this.#parts.clock.now() });
    this.#askToSettle();
  }

  #askToSettle(): void {
    if (this.#settling) return;
    this.#settling = true;
    setImmediate(() => void this.#settle());
  }

  async #settle(): Promise<void> {
    const { store, schedule, log } = this.#parts;
    const attempted = this.#takeOneOfEach();
    let giveUp = false;
    try {
      const settlements = attempted.map((one) => settlementOf(one, schedule));
      const lost = new Set(await store.settle(settlements));
      // An order's next event must not go out while the one before could come to be repeated.
      if (settlements.some((one) => one.claimed.ordered)) await store.synced();
      this.#settleFails = false;
      const settled = settlements.filter(({ claimed }) => !lost.has(claimed.seq));
      for (const { claimed, dueAtMs } of settled) {
        this.#lanes.of(claimed.midofficeId).wake(claimed.ordered ? 0 : dueAtMs);
      }
      for (const seq of lost) log.warn({ delivery: seq }, 'the lease had passed to another node');
      for (const { claimed, attempt } of settlements) {
        const failed = attempt.outcome === 'failed';
        this.#free(claimed, failed ? FAILED_SLOT_MS - attempt.durationMs : 0);
      }
      void this.#recordOnceSynced(settled);
    } catch (error) {
      log.warn({ err: error }, 'attempts cannot be settled yet');
      this.#settleFails = true;
      this.#toSettle.unshift(...attempted);
      await new Promise<void>((resolve) => {
        setTimeout(resolve, RETRY_AFTER_FAULT_MS);
      });
      // Whoever claims them next repeats them.
      giveUp = this.#cutOff;
    }
    this.#settling = false;
    if (this.#toSettle.length > 0 && !giveUp) this.#askToSettle();
    this.#askForPump();
    this.#finishIfIdle();
  }

  /** The slots are free already: waiting for the disk with them would leave receivers idle. */
  async #recordOnceSynced(settled: readonly Settlement[]): Promise<void> {
    const { store, log, record } = this.#parts;
    this.#syncing++;
    try {
      await store.synced();
      for (const one of settled) record(one, this.#lanes.of(one.claimed.midofficeId).config);
    } catch (error) {
      log.error({ err: error }, 'settled attempts may not outlive a power cut');
      this.#settleFails = true;
    } finally {
      this.#syncing--;
      this.#finishIfIdle();
    }
  }

  /** Of two outcomes of one delivery one is void; apart, the store can tell which. */
  #takeOneOfEach(): Attempted[] {
    const seqs = new Set<number>();
    const again: Attempted[] = [];
    const attempted = this.#toSettle.splice(0).filter((one) => {
      const { seq } = one.claimed;
      if (!seqs.has(seq)) return seqs.add(seq);
      again.push(one);
      return false;
    });
    this.#toSettle.push(...again);
    return attempted;
  }

  #free(claimed: Claimed, inMs = 0): void {
    this.#inFlight.delete(claimed);
    this.#finishIfIdle();
    const lane = this.#lanes.of(claimed.midofficeId);
    if (inMs <= 0) {
      lane.free();
      return;
    }
    setTimeout(() => {
      lane.free();
      this.#askForPump();
    }, inMs).unref();
  }

  /** For the lanes that wait for a time; full and paused ones are woken by other things. */
  #setTimer(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const soonestMs = this.#lanes.soonestDueAtMs();
    if (soonestMs === Number.POSITIVE_INFINITY) return;
    this.#timer = this.#parts.clock.after(soonestMs - this.#parts.clock.now(), () =>
      this.#askForPump(),
    );
  }

  #finishIfIdle(): void {
    if (!this.#idle || this.#pumping || this.#settling || this.#syncing > 0) return;
    if (this.#inFlight.size > 0 && !this.#cutOff) return;
    this.#idle();
  }
}
