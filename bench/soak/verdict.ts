/**
 * Whether something grows: the slope of the second half of a run, by least squares. The first half warms caches up
 * and fills pools. A figure may drift by a tolerance within the second half, because a collection more or less
 * moves it by as much.
 */
export interface Trend {
  /** In the unit of the figure, from the beginning of the second half to its end. */
  growth: number;
  allowed: number;
  isGrowing: boolean;
}

/** A tenth of the mean, but at least `least`. */
const SHARE = 0.1;

export function trendOf(values: readonly number[], least: number): Trend {
  const half = values.slice(Math.floor(values.length / 2)).filter(Number.isFinite);
  const mean = half.reduce((sum, value) => sum + value, 0) / half.length;
  const middle = (half.length - 1) / 2;
  const spread = half.reduce((sum, _, n) => sum + (n - middle) ** 2, 0);
  const product = half.reduce((sum, value, n) => sum + (n - middle) * (value - mean), 0);
  const growth = spread === 0 ? 0 : (product / spread) * (half.length - 1);
  const allowed = Math.max(least, mean * SHARE);
  return { growth, allowed, isGrowing: growth > allowed };
}
