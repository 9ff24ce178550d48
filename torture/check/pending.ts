/** What is still pending at the end waits for something: a time to come, or a lease to run out. */
import type { Ledger } from '../ledger.ts';
import { type Case, describeCase } from './case.ts';

/** How late work may be taken up when nothing stands in its way. */
const GRACE_MS = 6_000;

export interface End {
  /** When the nodes were last seen at work. */
  atMs: number;
  leaseMs: number;
}

export function checkPending(ledger: Ledger, cases: readonly Case[], end: End): void {
  // A crashed node's leases hold up its midoffice's other work too, since they count as in flight.
  const patienceMs = end.leaseMs + GRACE_MS;
  const lastBlowAtMs = ledger.blows.at(-1)?.atMs ?? 0;
  if (end.atMs - lastBlowAtMs < patienceMs) return;
  const heads = new Set(headsOfOrders(cases));
  for (const one of cases) {
    const { delivery, event } = one;
    if (delivery.state !== 'pending' || (event.office?.ordered && !heads.has(one))) continue;
    if (delivery.inFlight) {
      ledger.violate('a lease of the dead runs out', describeCase(one));
    } else if ((delivery.nextAttemptAtMs ?? 0) < end.atMs - patienceMs) {
      ledger.violate('what is due is attempted', describeCase(one));
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
