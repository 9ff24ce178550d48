/** How long the lanes of a lost node stood still although they had due work. */
import type { Ledger, Loss } from '../ledger.ts';
import type { BellhopNode } from '../nodes.ts';
import { DATABASE } from '../presence.ts';
import type { Office } from '../world.ts';
import { type Case, describeCase } from './case.ts';
import { type Due, dueTimes } from './due-times.ts';
import type { Figures } from './figures.ts';

/** Bellhop's promise: the lease of the lost node ends, and another node takes over within this time. */
const TAKEOVER_MS = 10_000;
/** A webhook of the lost node may be read this much later. */
const READ_LATE_MS = 500;

/** The lane had due work from this time on, and this was its next attempt. */
interface Standstill {
  dueAtMs: number;
  nextAtMs: number;
}

export function checkTakeovers(
  ledger: Ledger,
  cases: readonly Case[],
  figures: Figures,
  nodes: readonly BellhopNode[],
): void {
  const lanes = Map.groupBy(cases, ({ event }) => event.office);
  const dues = Map.groupBy(dueTimes(cases), ({ one }) => one.event.office);
  for (const loss of ledger.losses) {
    for (const office of loss.lanes) {
      const still = standstill(lanes.get(office) ?? [], dues.get(office) ?? [], loss.atMs);
      if (still) judge(loss, office, still);
    }
  }

  function judge(loss: Loss, office: Office, { dueAtMs, nextAtMs }: Standstill): void {
    const { atMs, kind, node } = loss;
    const tookMs = Math.max(0, nextAtMs - dueAtMs);
    const awayMs = ledger.presence.awayMs(DATABASE, atMs, nextAtMs);
    // A node with a fault at that time may have been the one that took over.
    const others = ledger.faults.filter(
      (fault) => fault.node !== node && fault.untilMs > atMs && fault.atMs < nextAtMs,
    );
    const someoneWasThere = nodes.some(
      ({ name }) => name !== node && !ledger.presence.wasAway(name, atMs, nextAtMs),
    );
    // A single node takes over from itself after its restart.
    if (others.length === 0 && awayMs === 0 && (someoneWasThere || nodes.length === 1)) {
      const figure = kind === 'bellhop stopped' ? figures.handoversMs : figures.takeoversMs;
      figure.push(tookMs);
    }
    const lastFaultAtMs = Math.max(dueAtMs, ...others.map((fault) => fault.atMs));
    if (!someoneWasThere || nextAtMs - lastFaultAtMs <= TAKEOVER_MS + awayMs) return;
    const first = (lanes.get(office) ?? []).find((one) => nextAttemptOf(one, atMs) === nextAtMs);
    ledger.violate(
      'the lanes of a lost node are taken over within 10 s',
      `${tookMs} ms after ${node}, ${kind} at ${new Date(atMs).toISOString()}: ${office.environment} "${office.character}". Next was ${first ? describeCase(first) : 'nothing'}`,
    );
  }
}

export function standstill(
  lane: readonly Case[],
  dues: readonly Due[],
  sinceMs: number,
): Standstill | undefined {
  const next = lane.flatMap((one) => nextAttemptOf(one, sinceMs) ?? []);
  const waiting = dues.filter(({ startedAtMs }) => startedAtMs > sinceMs);
  // checkPending judges what is left undone at the end.
  if (next.length === 0 || waiting.length === 0) return undefined;
  const dueAtMs = Math.min(...waiting.map((due) => due.dueAtMs));
  return { dueAtMs: Math.max(sinceMs, dueAtMs), nextAtMs: Math.min(...next) };
}

function nextAttemptOf(one: Case, sinceMs: number): number | undefined {
  const recorded = one.delivery.attempts.find(({ startedAtMs }) => startedAtMs > sinceMs);
  const repeated = one.receptions.find(
    (reception) => reception.arrivedAtMs > sinceMs + READ_LATE_MS && !one.attemptOf(reception),
  );
  const times = [recorded?.startedAtMs, repeated?.arrivedAtMs].filter((ms) => ms !== undefined);
  return times.length > 0 ? Math.min(...times) : undefined;
}
