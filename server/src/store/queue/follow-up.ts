/**
 * What follows an attempt, given what support did while it was under way. Pure, so that both engines
 * decide alike; they differ only in how they read and write the rows.
 */
import type { Settled } from '../../delivery/queue.ts';
import type { Settlement } from '../../delivery/stages.ts';

/** Of the pending row as it is when the attempt is settled; undefined if it is gone. */
export interface Standing {
  /** Under the rule of now: it may have been changed since the attempt began. */
  order_key: string | null;
  asked_at: number | null;
  due_at: number | null;
}

export type FollowUp =
  /** It was settled before: the answer of an earlier try was lost. */
  | { kind: 'known'; dueAtMs: number | null }
  | { kind: 'cancelled' }
  | { kind: 'delivered' }
  | { kind: 'exhausted' }
  | {
      kind: 'pending';
      dueAtMs: number;
      scheduledAtMs: number | null;
      retriesUsed: number;
    };

/** `isNew`: the attempt was not recorded before. */
export function followUp(
  settlement: Settlement,
  standing: Standing | undefined,
  { isNew, nowMs }: { isNew: boolean; nowMs: number },
): FollowUp {
  const { due, state, dueAtMs, retriesUsed } = settlement;
  if (!standing) return { kind: 'cancelled' };
  if (!isNew) return { kind: 'known', dueAtMs: standing.due_at };
  if (state === 'delivered') return { kind: 'delivered' };
  // Asked for by hand meanwhile: one more attempt at once, and the schedule's own stays as it is.
  const isAsked = standing.asked_at !== due.askedAtMs;
  if (state === 'exhausted') {
    return isAsked
      ? { kind: 'pending', dueAtMs: nowMs, scheduledAtMs: null, retriesUsed: 0 }
      : { kind: 'exhausted' };
  }
  return isAsked
    ? { kind: 'pending', dueAtMs: nowMs, scheduledAtMs: dueAtMs, retriesUsed }
    : { kind: 'pending', dueAtMs: dueAtMs as number, scheduledAtMs: null, retriesUsed };
}

export function settledAs(settlement: Settlement, next: FollowUp, isNew: boolean): Settled {
  if (next.kind === 'known') return { settlement, state: 'pending', dueAtMs: next.dueAtMs };
  if (next.kind === 'pending') return { settlement, state: 'pending', dueAtMs: next.dueAtMs };
  // Recorded before and no longer pending: it was this outcome that settled it.
  if (next.kind === 'cancelled' && !isNew && settlement.state !== 'pending') {
    return { settlement, state: settlement.state, dueAtMs: null };
  }
  return { settlement, state: next.kind, dueAtMs: null };
}
