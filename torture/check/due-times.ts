/** When each attempt was due, from what both sides know. */
import type { Case } from './case.ts';
import { endOf, waitAfter } from './schedule.ts';

export interface Due {
  one: Case;
  dueAtMs: number;
  startedAtMs: number;
}

/** For every recorded attempt. An accepted event is due at the latest when its 202 came. */
export function dueTimes(cases: readonly Case[]): Due[] {
  const settledBefore = settledTimes(cases);
  return cases.flatMap((one) => {
    const { event, delivery } = one;
    return delivery.attempts.flatMap((attempt, i): Due[] => {
      const before = delivery.attempts[i - 1];
      const dueAtMs = before ? endOf(before) + waitAfter(before, delivery) : event.acceptedAtMs;
      if (dueAtMs === undefined) return [];
      const freeAtMs = settledBefore.get(one) ?? 0;
      return [{ one, dueAtMs: Math.max(dueAtMs, freeAtMs), startedAtMs: attempt.startedAtMs }];
    });
  });
}

/** For midoffices that deliver per order: when the previous event of the order was settled. */
function settledTimes(cases: readonly Case[]): Map<Case, number> {
  const settled = new Map<Case, number>();
  const ordered = cases.filter(({ event }) => event.office?.ordered);
  for (const order of Map.groupBy(ordered, ({ event }) => event.orderId).values()) {
    order.sort((a, b) => a.event.position - b.event.position);
    for (const [i, one] of order.entries()) {
      const before = order[i - 1];
      if (before) settled.set(one, before.delivery.settledAtMs ?? Number.POSITIVE_INFINITY);
    }
  }
  return settled;
}
