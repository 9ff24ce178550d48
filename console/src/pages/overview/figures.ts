/** Figures that the verdict, the tiles and the charts share. */
import type { Bucket } from '../../api/types.ts';
import { percent } from '../../ui/text/numbers.ts';

export function sum(buckets: Bucket[], field: Exclude<keyof Bucket, 'at'>): number {
  return buckets.reduce((total, bucket) => total + bucket[field], 0);
}

export function rateInWords(rate: number | null): string {
  return rate === null ? 'no attempts' : percent(rate);
}
