/** For midoffices that deliver per order, each event comes after the previous one is settled. */
import type { Ledger } from '../ledger.ts';
import { type Case, describeCase, earliestEndMs, isRestoredLate, isStoredLate } from './case.ts';

export function checkOrder(ledger: Ledger, cases: readonly Case[]): void {
  const orders = Map.groupBy(
    cases.filter(({ event }) => event.office?.ordered),
    ({ event }) => event.orderId,
  );
  for (const order of orders.values()) {
    order.sort((a, b) => a.event.position - b.event.position);
    for (const [i, next] of order.entries()) {
      const before = order[i - 1];
      const [first] = next.receptions;
      if (!before || !first) continue;
      const both = () => `${describeCase(before)}\n${describeCase(next)}`;
      if (before.delivery.state === 'pending')
        ledger.violate(
          'the next event of an order waits until the previous one is settled',
          both(),
        );
      const last = before.receptions.at(-1);
      // Sent late or again, because only a node that was away knew of it or of its outcome.
      const isExcused = isStoredLate(ledger, before) || isRestoredLate(ledger, before);
      if (last && !isExcused && first.arrivedAtMs < earliestEndMs(last))
        ledger.violate('the events of an order arrive one after another', both());
    }
  }
}
