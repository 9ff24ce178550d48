import { BarStack } from '@visx/shape';
import { type Tone, toneClass } from './Legend.tsx';
import type { Moment } from './moments.ts';
import type { Scales } from './Plot.tsx';

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
  return (
    <BarStack
      data={buckets}
      keys={series.map(({ field }) => field)}
      value={(bucket, field) => bucket[field]}
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
                height={bar.height}
              />
            )),
        )
      }
    </BarStack>
  );
}
