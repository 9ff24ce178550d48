/** Figures that the verdict, the tiles and the charts share. */
import type { Bucket } from '../../api/types.ts';

const number = new Intl.NumberFormat();

export function inDigits(count: number): string {
  return number.format(count);
}

/** "1 webhook", "1,667 webhooks". */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${inDigits(count)} ${count === 1 ? one : many}`;
}

export function sum(buckets: Bucket[], field: Exclude<keyof Bucket, 'at'>): number {
  return buckets.reduce((total, bucket) => total + bucket[field], 0);
}

/** Never rounds a failure away: 99.97 % is not 100 %. */
export function percent(rate: number | null): string {
  if (rate === null) return 'no attempts';
  const rounded = Math.floor(rate * 1_000) / 10;
  return `${rounded} %`;
}
