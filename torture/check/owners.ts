/**
 * One node at a time works on a midoffice: the attempts that a node records ended before the next node
 * began, and attempts that were in flight when it lost its lease are not recorded.
 */
import type { Ledger } from '../ledger.ts';
import { type Case, describeCase, isRestoredLate } from './case.ts';
import type { Recorders } from './recorders.ts';
import { endOf } from './schedule.ts';

/** Starts are whole milliseconds and durations are rounded. */
const ROUNDING_MS = 2;

interface Recorded {
  one: Case;
  node: string;
  startedAtMs: number;
  endedAtMs: number;
}

export function checkOwners(ledger: Ledger, cases: readonly Case[], recorders: Recorders): void {
  const lanes = Map.groupBy(cases, ({ event }) => event.office);
  for (const lane of lanes.values()) {
    // What was restored late has other numbers than in the log.
    const known = lane.filter((one) => !isRestoredLate(ledger, one));
    const recorded = known.flatMap((one) => recordedOf(one, recorders));
    recorded.sort((a, b) => a.startedAtMs - b.startedAtMs);
    const lastOf = new Map<string, Recorded>();
    for (const next of recorded) {
      for (const [node, last] of lastOf) {
        if (node === next.node || last.endedAtMs <= next.startedAtMs + ROUNDING_MS) continue;
        ledger.violate(
          'what a node records was over before another node took its lane over',
          `${last.node}: ${describeCase(last.one)}\n${next.node}: ${describeCase(next.one)}`,
        );
      }
      const last = lastOf.get(next.node);
      if (!last || last.endedAtMs < next.endedAtMs) lastOf.set(next.node, next);
    }
  }
}

function recordedOf(one: Case, recorders: Recorders): Recorded[] {
  return one.delivery.attempts.flatMap((attempt) => {
    const node = recorders.of(one.delivery, attempt);
    if (!node) return [];
    return [{ one, node, startedAtMs: attempt.startedAtMs, endedAtMs: endOf(attempt) }];
  });
}
