/** Deliveries that are still pending at the end wait for a due time, or for a new owner of their shard. */
import type { Ledger } from '../ledger.ts';
import { type Case, describeCase } from './case.ts';

/** How late an attempt may begin when nothing prevents it. */
const GRACE_MS = 6_000;

export interface End {
  /** When the nodes were last seen at work. */
  atMs: number;
  leaseMs: number | null;
}

export function checkPending(ledger: Ledger, cases: readonly Case[], end: End): void {
  const heads = new Set(headsOfOrders(cases));
  const next = cases.filter(
    (one) => one.delivery.state === 'pending' && (!one.event.office?.ordered || heads.has(one)),
  );
  checkParked(ledger, next);
  // A crashed node's lanes stand still until its lease ends.
  const waitMs = (end.leaseMs ?? 0) + GRACE_MS;
  const lastFaultAtMs = Math.max(0, ...ledger.faults.map(({ untilMs }) => untilMs));
  if (end.atMs - lastFaultAtMs < waitMs) return;
  for (const one of next) {
    const { nextAttemptAtMs } = one.delivery;
    if (nextAttemptAtMs !== null && nextAttemptAtMs < end.atMs - waitMs) {
      ledger.violate('what is due is attempted', describeCase(one));
    }
  }
}

/** No event is left that would free it. */
function checkParked(ledger: Ledger, next: readonly Case[]): void {
  for (const one of next) {
    const { nextAttemptAtMs, inFlight } = one.delivery;
    if (inFlight) {
      ledger.violate('nothing is in flight when every node has stopped', describeCase(one));
    } else if (nextAttemptAtMs === null) {
      ledger.violate('an event is parked only behind one of its order', describeCase(one));
    }
  }
}

function headsOfOrders(cases: readonly Case[]): Iterable<Case> {
  const heads = new Map<string, Case>();
  for (const one of cases) {
    const { event, delivery } = one;
    if (delivery.state !== 'pending' || !event.office?.ordered) continue;
    const head = heads.get(event.orderId);
    if (!head || event.position < head.event.position) heads.set(event.orderId, one);
  }
  return heads.values();
}
