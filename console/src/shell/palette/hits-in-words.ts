import type { Found } from '../../api/types.ts';
import { counted } from '../../words/en/counted.ts';

/** "1 order, 2 partners". Several webhooks can be of one order. */
export function hitsInWords(hits: readonly Pick<Found, 'kind' | 'title'>[]): string {
  const counts = new Map<string, number>();
  const orders = new Set<string>();
  for (const { kind, title } of hits) {
    if (kind === 'delivery' && orders.has(title)) continue;
    if (kind === 'delivery') orders.add(title);
    const name = kind === 'delivery' ? 'order' : kind;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts].map(([name, count]) => counted(count, name)).join(', ');
}
