import type { Claimed, LaneConfig, Settlement } from './stages.ts';

/** What the delivery worker needs of the store. */
export interface DeliveryStore {
  /** All midoffices, or some, each with the time of its earliest pending work (null: none). */
  lanes(midofficeIds?: readonly string[]): Promise<LaneState[]>;
  /** Leases due work to the caller, never more than asked for nor than the midoffice's own limit. */
  claim(request: ClaimRequest): ClaimResult | Promise<ClaimResult>;
  /**
   * Writes the attempts and what they mean, all in one transaction. Returns the sequence numbers
   * whose lease had passed to someone else; of those nothing is written.
   */
  settle(settlements: readonly Settlement[]): readonly number[] | Promise<readonly number[]>;
  /** Resolves once all that was settled before would outlive not only a crash but a power cut. */
  synced(): Promise<void>;
  /** At the start: leases that no living process can hold are void. */
  voidLeases(): Promise<void>;
  /** Gives leased work back without an attempt, due at once. */
  release(claimed: readonly Claimed[]): Promise<void>;
  /** Calls back when work may have come in for these midoffices (none: for any), from any node. */
  onWork(listener: (midofficeIds: readonly string[]) => void): () => void;
  /** Records which key signed what the midoffice's receiver took last. */
  markWorked(midofficeId: string, keyFingerprint: string): Promise<void>;
  /** Records when a midoffice began to fail, or that it no longer does. */
  markFailing(midofficeId: string, sinceMs: number | null): Promise<void>;
}

export interface LaneState {
  config: LaneConfig;
  nextDueAtMs: number | null;
}

export interface ClaimRequest {
  lanes: readonly { midofficeId: string; free: number }[];
  nowMs: number;
  leaseUntilMs: number;
  lease: string;
}

export interface ClaimResult {
  claimed: Claimed[];
  /** Not waited for before the attempts begin. */
  next: NextWork | Promise<NextWork>;
}

export interface NextWork {
  /** Per lane that got fewer than it asked for: when it is worth asking again; null if no work waits. */
  nextDueAtMs: Map<string, number | null>;
  /** Of those, the lanes with due work that others' attempts hold back: ask also when one is settled. */
  heldBack: ReadonlySet<string>;
}
