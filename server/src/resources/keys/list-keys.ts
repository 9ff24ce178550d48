import { type ShownCount, showCount } from '../count-queries.ts';
import type { SupportEnvironment } from '../environment.ts';
import { type Page, type PageRequest, pageOf } from '../page.ts';
import { type Key, showKey } from './key.ts';
import { countKeys, keysByExpiry, newestKeys } from './queries.ts';

/** Only orders that an index serves. Keys that never expire come after all others. */
export const keySorts = ['-created_at', 'created_at', 'expires_at', '-expires_at'] as const;

interface KeyFilter {
  partner_id?: string | undefined;
}

export async function listKeys(
  { store }: SupportEnvironment,
  request: PageRequest & KeyFilter & { sort?: (typeof keySorts)[number] | undefined },
): Promise<Page<Key>> {
  const { partner_id: partnerId, sort = '-created_at' } = request;
  const ascending = !sort.startsWith('-');
  if (sort.endsWith('expires_at')) {
    return pageOf(request, {
      read: (slice) => keysByExpiry(store.db, slice, { partnerId }),
      positionOf: (row) => [row.sorted_by, row.key_id],
      show: showKey,
      ascending,
    });
  }
  return pageOf(request, {
    read: (slice) => newestKeys(store.db, slice, { partnerId }),
    positionOf: (row) => [row.created_at, row.key_id],
    show: showKey,
    ascending,
  });
}

export async function countListedKeys(
  { store }: SupportEnvironment,
  { partner_id: partnerId }: KeyFilter,
): Promise<ShownCount> {
  return showCount(await countKeys(store.db, { partnerId }));
}
