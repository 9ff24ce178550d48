/** Figures that the verdict, the tiles and the charts share. */
import type { Bucket, Stats } from '../../api/types.ts';
import { percent } from '../../ui/text/numbers.ts';

export function sum(buckets: Bucket[], field: Exclude<keyof Bucket, 'at'>): number {
  return buckets.reduce((total, bucket) => total + bucket[field], 0);
}

export function rateInWords(rate: number | null): string {
  return rate === null ? 'no attempts' : percent(rate);
}

/** Nothing happened in this span, and nothing is left to do. Only then it is worth asking whether anything ever did. */
export function isQuiet({ buckets, pending, exhausted, unrouted }: Stats): boolean {
  return (
    pending + exhausted + unrouted === 0 &&
    buckets.every(({ delivered, failed_attempts }) => delivered + failed_attempts === 0)
  );
}
