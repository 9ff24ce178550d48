/** Everything that the first page judges by. */
import { useQueries } from '@tanstack/react-query';
import { useLiveQuery } from '../../../../console/src/api/use-live-query.ts';
import { OFTEN_MS, RARELY_MS } from '../../api/poll.ts';
import { useMidoffice } from '../../api/use-midoffice.ts';
import { useView } from '../../app/view.tsx';
import type { Facts } from './verdict.ts';

/** Each key costs two calls; people with more keys see the rest on the page of the limits. */
const MOST_KEYS = 5;

export function useFacts() {
  const { queries } = useView();
  const midoffice = useMidoffice();
  const keys = useLiveQuery(queries.keys(), RARELY_MS);
  const refusals = useLiveQuery(queries.newestRefusals(), OFTEN_MS);
  const exhausted = useLiveQuery(queries.exhausted(), OFTEN_MS);
  const usable = keys.data?.items.filter(({ revoked_at }) => revoked_at === null) ?? [];
  const shown = usable.slice(0, MOST_KEYS);
  const limits = useQueries({
    queries: shown.map(({ key_id }) => ({ ...queries.limits(key_id), refetchInterval: OFTEN_MS })),
  });
  const histories = useQueries({
    queries: shown.map(({ key_id }) => ({
      ...queries.history(key_id, 'hour'),
      refetchInterval: RARELY_MS,
    })),
  });
  const isRead =
    midoffice.data !== undefined &&
    keys.data !== undefined &&
    refusals.data !== undefined &&
    exhausted.data !== undefined &&
    [...limits, ...histories].every(({ data }) => data !== undefined);
  const data: Facts | undefined = isRead
    ? {
        midoffice: midoffice.data ?? null,
        refusals: refusals.data?.items ?? [],
        exhausted: {
          count: exhausted.data?.count ?? 0,
          hasMore: exhausted.data?.has_more ?? false,
        },
        keys: shown.map((key, index) => ({
          key,
          limits: limits[index]?.data?.items ?? [],
          history: histories[index]?.data?.items ?? [],
        })),
      }
    : undefined;
  return {
    data,
    problem:
      midoffice.problem ??
      keys.problem ??
      refusals.problem ??
      exhausted.problem ??
      [...limits, ...histories].find(({ error }) => error)?.error ??
      undefined,
    readAt: exhausted.readAt,
    retry() {
      midoffice.retry();
      keys.retry();
      refusals.retry();
      exhausted.retry();
    },
  };
}
