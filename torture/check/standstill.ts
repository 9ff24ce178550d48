/**
 * Soon after the last fault, every midoffice with due work gets an attempt. A node may have crashed with a
 * lease, so the time without faults must be longer than a lease.
 */
import type { Ledger } from '../ledger.ts';
import type { BellhopNode } from '../nodes.ts';
import { DATABASE } from '../presence.ts';
import { type Case, describeCase } from './case.ts';
import { type Due, dueTimes } from './due-times.ts';

/** Bellhop's promise after a crash, which is the longest that anything should take. */
const LONGEST_MS = 10_000;

interface Span {
  fromMs: number;
  toMs: number;
}

export function checkStandstill(
  ledger: Ledger,
  cases: readonly Case[],
  nodes: readonly BellhopNode[],
): void {
  const troubles = troublesOf(ledger, nodes);
  const lanes = Map.groupBy(dueTimes(cases), ({ one }) => one.event.office);
  for (const lane of lanes.values()) {
    for (const { still, next } of standstills(lane)) {
      const peaceMs = longestPeaceMs(still, troubles);
      if (peaceMs <= LONGEST_MS) continue;
      const since = new Date(still.fromMs).toISOString();
      ledger.violate(
        'a midoffice that has something due is sent it',
        `nothing for ${peaceMs} ms of peace, since ${since}, then ${describeCase(next)}`,
      );
    }
  }
}

/** The spans between two attempts in which the lane had due work. */
function standstills(lane: Due[]): { still: Span; next: Case }[] {
  lane.sort((a, b) => a.startedAtMs - b.startedAtMs);
  let dueAtMs = Number.POSITIVE_INFINITY;
  const found: { still: Span; next: Case }[] = [];
  for (let i = lane.length - 1; i >= 0; i--) {
    const next = lane[i] as Due;
    dueAtMs = Math.min(dueAtMs, next.dueAtMs);
    const fromMs = Math.max(dueAtMs, lane[i - 1]?.startedAtMs ?? 0);
    if (fromMs < next.startedAtMs) {
      found.push({ still: { fromMs, toMs: next.startedAtMs }, next: next.one });
    }
  }
  return found;
}

function troublesOf({ faults, presence }: Ledger, nodes: readonly BellhopNode[]): Span[] {
  const names = [DATABASE, ...nodes.map(({ name }) => name)];
  const troubles = [
    ...faults.map(({ atMs, untilMs }) => ({ fromMs: atMs, toMs: untilMs })),
    ...names.flatMap((name) => presence.absencesOf(name)),
  ];
  return troubles.sort((a, b) => a.fromMs - b.fromMs);
}

function longestPeaceMs({ fromMs, toMs }: Span, troubles: readonly Span[]): number {
  let longestMs = 0;
  let peaceSinceMs = fromMs;
  for (const trouble of troubles) {
    if (trouble.toMs < fromMs) continue;
    if (trouble.fromMs > toMs) break;
    longestMs = Math.max(longestMs, trouble.fromMs - peaceSinceMs);
    peaceSinceMs = Math.max(peaceSinceMs, trouble.toMs);
  }
  return Math.max(longestMs, toMs - peaceSinceMs);
}
