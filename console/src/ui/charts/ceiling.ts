/**
 * How high a chart reaches. One minute with a hundred times as many deliveries as the others would press those to the
 * ground, so a few spikes are cut off: the drawing marks them and says their number.
 */

/** At most this share of the buckets are spikes; more of them are what the chart is about. */
const MOST_SPIKES = 0.05;
/** A bar below this multiple of the others is drawn whole. */
const SPIKE = 4;
/** Room above the highest bar that is drawn whole, so that a cut one is seen to be higher. */
const HEADROOM = 1.5;

/** The value at the top; the highest one unless there are spikes. */
export function ceilingOf(heights: readonly number[]): number {
  const falling = heights.filter((height) => height > 0).sort((a, b) => b - a);
  const [highest = 0] = falling;
  const most = Math.max(1, Math.floor(heights.length * MOST_SPIKES));
  for (let spikes = most; spikes > 0; spikes--) {
    const usual = falling[spikes] ?? 0;
    const lowestSpike = falling[spikes - 1] ?? 0;
    // A single bar beside a few others is no spike: there is no usual height yet.
    if (falling.length >= spikes * 4 && lowestSpike > SPIKE * usual) return HEADROOM * usual;
  }
  return highest;
}
