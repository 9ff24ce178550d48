/** Sends again what was counted, or the selected ones. */
import { Problem } from '../../api/problem.ts';
import type { DeliveryFilter } from '../../api/types.ts';
import { allPages } from '../../api/use-pages.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { useFollowing } from '../sending/use-following.ts';
import { type Sending, useSending } from '../sending/use-sending.ts';
import type { Counted } from './use-bulk-count.ts';

/** As many as the server takes. Of more, the rest is what the filter finds then. */
const MOST_BY_ID = 1_000;

export function useBulkSending(counted: Counted | undefined): Sending {
  const { call } = useEnvironment();
  const { filter, count } = counted ?? { filter: {}, count: { count: 0 } };
  let exact: DeliveryFilter = filter;
  async function retry(some: DeliveryFilter, expected: number, limit: number) {
    const body = { action: 'retry', filter: some, expected, limit } as const;
    const { changed, deliveries = [] } = await call('changeDeliveries', { body });
    return { count: changed, deliveries };
  }
  /** So that the rest is the same without the one that was tried. */
  async function byIds(): Promise<DeliveryFilter> {
    const { ids, ...query } = filter;
    if (ids || count.count > MOST_BY_ID) return filter;
    const found = await allPages((page) =>
      call('listDeliveries', { query: { ...query, ...page } }),
    );
    return { ...query, ids: found.map(({ id }) => id) };
  }
  return useSending({
    ...useFollowing(),
    async sendFirst() {
      exact = await byIds();
      return retry(exact, count.count, 1);
    },
    async sendRest(first, onPart) {
      if (!first) return onPart(await retry(filter, count.count, count.count));
      const { ids, ...query } = exact;
      if (ids) {
        const others = ids.filter((id) => id !== first.id);
        return onPart(await retry({ ...exact, ids: others }, count.count - 1, others.length));
      }
      // The one that was tried may not match the filter any more. Nor may others, which were delivered meanwhile.
      const now = await call('countDeliveries', { query });
      if (now.count > count.count) throw moreThan(count.count, now.count);
      if (now.count > 0) onPart(await retry(filter, now.count, now.count));
    },
  });
}

function moreThan(expected: number, now: number): Problem {
  const detail = `The filter finds ${now} deliveries now, not ${expected}. Look at the list again.`;
  return new Problem(409, 'count_changed', detail);
}
