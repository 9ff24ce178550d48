/** What is still pending at the end waits for something: a time to come, or a shard's new owner. */
import type { Ledger } from '../ledger.ts';
import { type Case, describeCase } from './case.ts';

/** How late work may be taken up when nothing stands in its way. */
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
  // A crashed node's lanes stand still until its lease is over.
  const patienceMs = (end.leaseMs ?? 0) + GRACE_MS;
  const lastBlowAtMs = Math.max(0, ...ledger.blows.map(({ untilMs }) => untilMs));
  if (end.atMs - lastBlowAtMs < patienceMs) return;
  for (const one of next) {
    const { nextAttemptAtMs } = one.delivery;
    if (nextAttemptAtMs !== null && nextAttemptAtMs < end.atMs - patienceMs) {
      ledger.violate('what is due is attempted', describeCase(one));
    }
  }
}

/** Nobody is left who would set it free. */
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
    if (!head || event.place < head.event.place) heads.set(event.orderId, one);
  }
  return heads.values();
}
