import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DeliverySearch } from '../../store/queue/delivery-search.ts';
import { type FoundState, findStates } from '../../store/queue/list.ts';
import type { Database } from '../../store/schema.ts';

/** Counting them takes a second or two, and changing them a few minutes. */
export const MOST_IN_BULK = 1_000_000;

const READ_AT_ONCE = 5_000;

/**
 * Everything that a search finds, in pages, so that nothing else has to wait for it. Ends after one more than
 * `MOST_IN_BULK`.
 */
export async function* walkDeliveries(
  db: Database,
  search: DeliverySearch,
): AsyncGenerator<FoundState[]> {
  let position = {};
  for (let found = 0; found <= MOST_IN_BULK; ) {
    const limit = Math.min(READ_AT_ONCE, MOST_IN_BULK + 1 - found);
    const page = await findStates(db, { ...search, ...position }, limit);
    const last = page.at(-1);
    if (!last) return;
    yield page;
    if (page.length < limit) return;
    found += page.length;
    position = {
      beforeSeq: last.seq,
      ...(search.partner_order_id_prefix !== undefined && { beforeOrderId: last.partner_order_id }),
    };
    await nextTurn();
  }
}
