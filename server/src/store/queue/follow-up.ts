/**
 * What follows an attempt, given what support did during it. Pure, so that both engines decide alike; they
 * differ only in how they read and write the rows.
 */
import type { Settled } from '../../delivery/queue.ts';
import type { Ended, Postponed, Settlement } from '../../delivery/stages.ts';

/** The pending row at the time the attempt is settled; undefined if it was removed. */
export interface PendingSnapshot {
  /** Under the current rule, which may have changed since the attempt began. */
  order_key: string | null;
  asked_at: number | null;
  due_at: number | null;
}

export type FollowUp =
  /** Already settled: an earlier try succeeded, but its answer was lost. */
  | { kind: 'known'; due_at: number | null }
  | { kind: 'cancelled' }
  | { kind: 'delivered' }
  | { [Kind in GivenUpKind]: { kind: Kind; settled_at: number } }[GivenUpKind]
  | ({ kind: 'pending' } & Pick<Postponed, 'due_at' | 'scheduled_at' | 'retries_used'>);

type GivenUpKind = Exclude<Ended['state'], 'delivered'>;

/** `isNew`: the attempt had not been recorded yet. */
export function followUp(
  settlement: Settlement,
  snapshot: PendingSnapshot | undefined,
  { isNew, nowMs }: { isNew: boolean; nowMs: number },
): FollowUp {
  if (!snapshot) return { kind: 'cancelled' };
  if (!isNew) return { kind: 'known', due_at: snapshot.due_at };
  // Support requested an attempt meanwhile: make one more at once, and keep the scheduled one.
  const isAsked = snapshot.asked_at !== settlement.due.asked_at;
  switch (settlement.state) {
    case 'delivered':
      return { kind: 'delivered' };
    case 'exhausted':
      return isAsked
        ? { kind: 'pending', due_at: nowMs, scheduled_at: null, retries_used: 0 }
        : { kind: 'exhausted', settled_at: settlement.settled_at };
    case 'pending': {
      const { due_at, scheduled_at, retries_used } = settlement;
      return isAsked
        ? { kind: 'pending', due_at: nowMs, scheduled_at: scheduled_at ?? due_at, retries_used }
        : { kind: 'pending', due_at, scheduled_at, retries_used };
    }
  }
}

export function settledAs(settlement: Settlement, next: FollowUp, isNew: boolean): Settled {
  if (next.kind === 'known' || next.kind === 'pending') {
    return { settlement, state: 'pending', due_at: next.due_at };
  }
  // Already recorded and no longer pending: this outcome was the one that settled it.
  if (next.kind === 'cancelled' && !isNew && settlement.state !== 'pending') {
    return { settlement, state: settlement.state, due_at: null };
  }
  return { settlement, state: next.kind, due_at: null };
}
