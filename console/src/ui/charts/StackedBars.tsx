import { BarStack } from '@visx/shape';
import { type Tone, toneClass } from './Legend.tsx';
import type { Moment } from './moments.ts';
import type { Scales } from './Plot.tsx';

/** One failure among thousands is seen, too. */
const THINNEST = 1.5;

interface Props<Field extends string, Bucket extends Moment & Record<Field, number>> {
  buckets: Bucket[];
  /** From the bottom to the top. */
  series: readonly { field: Field; tone: Tone }[];
  scales: Scales;
}

export function StackedBars<Field extends string, Bucket extends Moment & Record<Field, number>>({
  buckets,
  series,
  scales: { x, y },
}: Props<Field, Bucket>) {
  const heightOf = (bucket: Bucket) =>
    series.reduce((height, { field }) => height + bucket[field], 0);
  const [, top = 0] = y.domain();
  // A bar that is cut off keeps its proportions, so that what failed is still seen.
  const shareOf = (bucket: Bucket) => Math.min(1, top / Math.max(1, heightOf(bucket)));
  return (
    <BarStack
      data={buckets}
      keys={series.map(({ field }) => field)}
      value={(bucket, field) => bucket[field] * shareOf(bucket)}
      x={({ at }) => at}
      xScale={x}
      yScale={y}
      color={() => ''}
    >
      {(stacks) =>
        stacks.flatMap(({ key, bars }, stack) =>
          bars
            .filter(({ height }) => height > 0)
            .map((bar) => (
              <rect
                key={`${key}-${bar.index}`}
                className={toneClass(series[stack]?.tone ?? 'plain')}
                x={bar.x}
                y={bar.y}
                width={bar.width}
                height={Math.max(THINNEST, bar.height)}
              />
            )),
        )
      }
    </BarStack>
  );
}
