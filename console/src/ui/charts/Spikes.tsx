/** Marks the bars that are cut off at the top of a chart: a gap, and the number they reach. */
import type { Moment } from './moments.ts';
import styles from './Plot.module.css';
import type { Scales } from './Plot.tsx';

/** Of two spikes whose numbers would overlap, the higher one has its number. */
const LABEL_WIDTH = 44;
const GAP = 3;

interface Props {
  buckets: readonly Moment[];
  heights: readonly number[];
  scales: Scales;
  format(value: number): string;
}

export function Spikes({ buckets, heights, scales: { x, y }, format }: Props) {
  const [, top = 0] = y.domain();
  const spikes = buckets.flatMap(({ at }, index) => {
    const height = heights[index] ?? 0;
    return height > top ? [{ at, height, left: x(at) ?? 0 }] : [];
  });
  const isLabelled = (one: (typeof spikes)[number]) =>
    spikes.every(
      (other) =>
        other === one ||
        Math.abs(other.left - one.left) > LABEL_WIDTH ||
        other.height < one.height ||
        (other.height === one.height && other.left > one.left),
    );
  const [start = 0, end = 0] = x.range();
  return spikes.map((spike) => (
    <g key={spike.at} data-spike>
      <path
        className={styles.gap}
        d={`M ${spike.left - 1} ${y(top) + 10} l ${x.bandwidth() + 2} -4 v ${GAP} l ${-x.bandwidth() - 2} 4 z`}
      />
      {isLabelled(spike) && (
        <text
          className={styles.label}
          x={Math.min(
            end - LABEL_WIDTH / 2,
            Math.max(start + LABEL_WIDTH / 2, spike.left + x.bandwidth() / 2),
          )}
          y={y(top) - 4}
          textAnchor="middle"
        >
          {format(spike.height)}
        </text>
      )}
    </g>
  ));
}
