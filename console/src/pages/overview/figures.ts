/** Figures that the tiles and the charts both show. */
import type { Bucket } from '../../api/types.ts';

export function sum(buckets: Bucket[], field: Exclude<keyof Bucket, 'at'>): number {
  return buckets.reduce((total, bucket) => total + bucket[field], 0);
}

/** Never rounds a failure away: 99.97 % is not 100 %. */
export function percent(rate: number | null): string {
  if (rate === null) return 'no attempts';
  const rounded = Math.floor(rate * 1_000) / 10;
  return `${rounded} %`;
}
