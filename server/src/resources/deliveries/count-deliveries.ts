import { type DeliveryState, deliveryStates } from '../../store/queue/read-deliveries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { type DeliveryFilter, searchOf } from './delivery-filter.ts';
import { MOST_IN_BULK, walkDeliveries } from './walk-deliveries.ts';

export interface DeliveryCount {
  count: number;
  by_state: Record<DeliveryState, number>;
  /** The filter finds more than the count, which ends at `MOST_IN_BULK`. */
  has_more: boolean;
}

export async function countDeliveries(
  { store }: SupportEnvironment,
  filter: DeliveryFilter,
): Promise<DeliveryCount> {
  const by_state = Object.fromEntries(deliveryStates.map((state) => [state, 0])) as Record<
    DeliveryState,
    number
  >;
  let count = 0;
  for await (const page of walkDeliveries(store.db, searchOf(filter))) {
    for (const { state } of page) {
      if (count === MOST_IN_BULK) return { count, by_state, has_more: true };
      by_state[state]++;
      count++;
    }
  }
  return { count, by_state, has_more: false };
}
