/** The drawing of a chart: axes, grid and the bucket under the pointer. The series are drawn into it. */
import { AxisBottom, AxisLeft } from '@visx/axis';
import { GridRows } from '@visx/grid';
import { useParentSize } from '@visx/responsive';
import { scaleBand, scaleLinear } from '@visx/scale';
import { Bar } from '@visx/shape';
import { type PointerEvent, type ReactNode, useId, useRef } from 'react';
import { classes } from '../text/classes.ts';
import { ceilingOf } from './ceiling.ts';
import { type ChartSpan, type Moment, momentOf } from './moments.ts';
import styles from './Plot.module.css';
import { Spikes } from './Spikes.tsx';

const HEIGHT = 176;
const MARGIN = { top: 16, right: 2, bottom: 24, left: 44 };
const LABELS = 4;
/** About this many grid lines; fewer would leave up to half of the height unused. */
const ROWS = 3;
/** Only the width matters, and at once: a chart must not appear late. */
const SIZE: Parameters<typeof useParentSize>[0] = {
  ignoreDimensions: ['height', 'top', 'left'],
  debounceTime: 0,
};
/** Below this width, four labels would overlap. */
const NARROW = 380;

export interface Scales {
  x: ReturnType<typeof scaleBand<string>>;
  y: ReturnType<typeof scaleLinear<number>>;
}

interface Props {
  title: string;
  description: string;
  span: ChartSpan;
  buckets: readonly Moment[];
  /** Of each bucket. The axis ends at the next round number above those that are no spikes. */
  heights: readonly number[];
  format(value: number): string;
  pointed: number | undefined;
  onPoint(index: number | undefined): void;
  onOpen?: ((index: number) => void) | undefined;
  children(scales: Scales): ReactNode;
}

export function Plot(props: Props) {
  const { title, description, span, buckets, heights, format, pointed, onPoint, onOpen } = props;
  const highest = ceilingOf(heights);
  // Counts have no grid lines between whole numbers.
  const isCount = heights.every(Number.isInteger);
  const id = useId();
  const { parentRef, width } = useParentSize(SIZE);
  const x = scaleBand({
    domain: buckets.map(({ at }) => at),
    range: [MARGIN.left, Math.max(MARGIN.left, width - MARGIN.right)],
    padding: 0.15,
  });
  const y = scaleLinear({
    domain: [0, highest > 0 ? highest : 1],
    range: [HEIGHT - MARGIN.bottom, MARGIN.top],
    nice: ROWS,
  });
  const rows = highest > 0 ? y.ticks(ROWS).filter((row) => !isCount || Number.isInteger(row)) : [0];

  function bucketAt(event: PointerEvent<SVGSVGElement>): number {
    const { left } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor((event.clientX - left - MARGIN.left) / x.step());
    return Math.max(0, Math.min(buckets.length - 1, index));
  }
  // A finger cannot hover: its first tap shows the numbers of a bucket, the second opens it.
  const beforeTap = useRef<number>(undefined);
  const at = pointed === undefined ? undefined : x(buckets[pointed]?.at ?? '');
  return (
    <div ref={parentRef} className={styles.plot}>
      <svg
        width={width}
        height={HEIGHT}
        role="img"
        aria-labelledby={`${id}-title ${id}-description`}
        className={classes(onOpen && styles.opens)}
        onPointerDown={() => {
          beforeTap.current = pointed;
        }}
        onPointerMove={(event) => onPoint(bucketAt(event))}
        onPointerLeave={({ pointerType }) => pointerType !== 'touch' && onPoint(undefined)}
        onPointerUp={(event) => {
          if (event.button !== 0) return;
          const index = bucketAt(event);
          onPoint(index);
          if (event.pointerType !== 'touch' || beforeTap.current === index) onOpen?.(index);
        }}
      >
        <title id={`${id}-title`}>{title}</title>
        <desc id={`${id}-description`}>{description}</desc>
        {at !== undefined && (
          <Bar
            className={styles.pointed}
            x={at - (x.step() - x.bandwidth()) / 2}
            y={MARGIN.top}
            width={x.step()}
            height={HEIGHT - MARGIN.top - MARGIN.bottom}
          />
        )}
        <GridRows
          className={styles.grid}
          scale={y}
          left={MARGIN.left}
          width={Math.max(0, width - MARGIN.left - MARGIN.right)}
          tickValues={rows}
          stroke=""
        />
        {width > 0 && (
          <>
            {props.children({ x, y })}
            <Spikes buckets={buckets} heights={heights} scales={{ x, y }} format={format} />
          </>
        )}
        <AxisLeft
          scale={y}
          left={MARGIN.left}
          tickValues={rows}
          tickFormat={(value) => format(Number(value))}
          axisClassName={styles.axis}
          hideAxisLine
          hideTicks
          tickLabelProps={{ className: styles.label, dx: -4, dy: 4, textAnchor: 'end' }}
        />
        <AxisBottom
          scale={x}
          top={HEIGHT - MARGIN.bottom}
          tickValues={labelled(buckets, width < NARROW ? 2 : LABELS)}
          tickFormat={(bucket) => momentOf(bucket, span)}
          axisClassName={styles.axis}
          axisLineClassName={styles.base}
          stroke=""
          hideTicks
          tickLabelProps={{ className: styles.label, dy: 4, textAnchor: 'middle' }}
        />
      </svg>
    </div>
  );
}

/** Evenly spread buckets, none at the edges, where a label would not fit. */
function labelled(buckets: readonly Moment[], count: number): string[] {
  return Array.from({ length: count }, (_, part) => (part + 0.5) / count).flatMap(
    (share) => buckets[Math.floor(share * buckets.length)]?.at ?? [],
  );
}
