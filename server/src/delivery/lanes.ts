/**
 * Each midoffice has a lane. A lane is
 *   idle      nothing pending, or paused: it waits to be woken;
 *   waiting   its next work is due at a known time: a timer wakes it;
 *   ready     work is due and a slot is free: the next pump claims for it;
 *   full      as many attempts are in flight as it may have: a freed slot makes it ready again.
 */
import type { LaneState, NextWork } from './delivery-store.ts';
import type { LaneConfig } from './stages.ts';

/** Nothing is known to wait. */
const NEVER_MS = Number.POSITIVE_INFINITY;

export class Lane {
  config: LaneConfig;
  #inFlight = 0;
  /** When it is worth claiming again. */
  #dueAtMs: number;
  /** Due work waits for a slot that another node may have: worth claiming when one is freed here. */
  #heldBack = false;
  /** A slot was freed since the last claim was asked for. */
  #freed = false;

  constructor({ config, nextDueAtMs }: LaneState) {
    this.config = config;
    this.#dueAtMs = nextDueAtMs ?? NEVER_MS;
  }

  get freeSlots(): number {
    return this.config.paused ? 0 : this.config.maxInFlight - this.#inFlight;
  }

  /** When its next work is due; never, while it is full or paused. */
  get dueAtMs(): number {
    return this.freeSlots > 0 ? this.#dueAtMs : NEVER_MS;
  }

  /** There may be work from then on. */
  wake(atMs: number | null = 0): void {
    this.#dueAtMs = Math.min(this.#dueAtMs, atMs ?? NEVER_MS);
  }

  take(): void {
    this.#inFlight++;
  }

  free(): void {
    this.#inFlight--;
    this.#freed = true;
    if (this.#heldBack) this.wake();
  }

  /** Until the store says otherwise it has nothing more; whatever wakes it meanwhile counts. */
  beginClaim(): void {
    this.#dueAtMs = NEVER_MS;
    this.#freed = false;
  }

  endClaim({ nextDueAtMs, heldBack }: NextWork): void {
    const next = nextDueAtMs.get(this.config.midofficeId);
    // It got all that it asked for, so there may be more.
    this.wake(next === undefined ? 0 : next);
    this.#heldBack = heldBack.has(this.config.midofficeId);
    if (this.#heldBack && this.#freed) this.wake();
  }
}

export class Lanes {
  readonly #lanes = new Map<string, Lane>();

  of(midofficeId: string): Lane {
    return this.#lanes.get(midofficeId) as Lane;
  }

  update(state: LaneState): void {
    const lane = this.#lanes.get(state.config.midofficeId);
    if (!lane) {
      this.#lanes.set(state.config.midofficeId, new Lane(state));
      return;
    }
    lane.config = state.config;
    lane.wake(state.nextDueAtMs);
  }

  /** Returns those that it does not know. */
  wake(midofficeIds: readonly string[]): string[] {
    for (const id of midofficeIds) this.#lanes.get(id)?.wake();
    return midofficeIds.filter((id) => !this.#lanes.has(id));
  }

  signingWith(keyIds: ReadonlySet<string>): string[] {
    return [...this.#lanes.values()]
      .filter(({ config }) => keyIds.has(config.signingKey.keyId))
      .map(({ config }) => config.midofficeId);
  }

  ready(nowMs: number): Lane[] {
    return [...this.#lanes.values()].filter((lane) => lane.dueAtMs <= nowMs);
  }

  soonestDueAtMs(): number {
    let soonestMs = NEVER_MS;
    for (const { dueAtMs } of this.#lanes.values()) soonestMs = Math.min(soonestMs, dueAtMs);
    return soonestMs;
  }
}
