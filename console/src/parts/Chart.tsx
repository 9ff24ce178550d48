/**
 * A chart over the buckets of a span, drawn by hand: the drawing for the eyes with a reading under
 * the pointer, and the same numbers as a table for everyone else.
 */
import { type PointerEvent, type ReactNode, useId, useState } from 'react';
import type { Bucket, Span } from '../model.ts';
import { clockTime, dayOf } from '../times.ts';
import { Scroll } from './Scroll.tsx';

const WIDTH = 1_000;
const HEIGHT = 200;

interface Props {
  title: string;
  /** What the whole span comes to. */
  total: string;
  description: string;
  span: Span;
  buckets: Bucket[];
  /** The label of the drawing's upper edge. */
  top: string;
  reading(bucket: Bucket): string;
  columns: readonly [head: string, cell: (bucket: Bucket) => string][];
  legend?: ReactNode;
  children: ReactNode;
}

export function Chart(props: Props) {
  const { title, total, description, span, buckets, top, reading, columns, legend, children } =
    props;
  const id = useId();
  const [pointed, setPointed] = useState<number>();
  const bucket = pointed === undefined ? undefined : buckets[pointed];

  function point(event: PointerEvent<SVGSVGElement>) {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    const index = Math.floor(((event.clientX - left) / width) * buckets.length);
    setPointed(Math.max(0, Math.min(buckets.length - 1, index)));
  }
  return (
    <figure className="chart">
      <figcaption className="chart-head">
        <span className="chart-title">{title}</span>
        <span className="chart-reading">
          {bucket ? (
            <>
              <strong>{reading(bucket)}</strong> {momentOf(bucket, span)}
            </>
          ) : (
            <strong>{total}</strong>
          )}
        </span>
      </figcaption>
      <div className="chart-plot">
        <span className="chart-top" aria-hidden="true">
          {top}
        </span>
        <svg
          viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
          preserveAspectRatio="none"
          role="img"
          aria-labelledby={`${id}-title ${id}-desc`}
          onPointerMove={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          <title id={`${id}-title`}>{title}</title>
          <desc id={`${id}-desc`}>{description}</desc>
          <path className="chart-grid" d={`M0 ${HEIGHT / 2}H${WIDTH}M0 1H${WIDTH}`} />
          {pointed !== undefined && (
            <rect
              className="chart-pointed"
              x={(pointed * WIDTH) / buckets.length}
              width={WIDTH / buckets.length}
              height={HEIGHT}
            />
          )}
          {children}
          <path className="chart-base" d={`M0 ${HEIGHT}H${WIDTH}`} />
        </svg>
        <div className="chart-axis" aria-hidden="true">
          {axisOf(buckets).map((at) => (
            <span key={at.at}>{momentOf(at, span)}</span>
          ))}
          <span>now</span>
        </div>
      </div>
      <div className="chart-foot">
        {legend}
        <details className="chart-table">
          <summary>Numbers</summary>
          <Scroll label={`${title}, numbers`}>
            <table className="table table-tight">
              <thead>
                <tr>
                  <th scope="col">From</th>
                  {columns.map(([head]) => (
                    <th key={head} scope="col" className="numeric">
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {buckets.toReversed().map((one) => (
                  <tr key={one.at}>
                    <td>{momentOf(one, span)}</td>
                    {columns.map(([head, cell]) => (
                      <td key={head} className="numeric">
                        {cell(one)}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </Scroll>
        </details>
      </div>
    </figure>
  );
}

export interface Bar {
  key: string;
  /** From the bottom up, as shares of the drawing's height. */
  parts: { className: string; share: number }[];
}

export function Bars({ bars }: { bars: Bar[] }) {
  const width = WIDTH / bars.length;
  const gap = Math.min(3, width * 0.2);
  return bars.map(({ key, parts }, index) => {
    let below = 0;
    return (
      <g key={key}>
        {parts.map(({ className, share }) => {
          const height = share * HEIGHT;
          below += height;
          return (
            <rect
              key={className}
              className={className}
              x={index * width + gap / 2}
              y={HEIGHT - below}
              width={width - gap}
              height={height}
            />
          );
        })}
      </g>
    );
  });
}

/** A line through what is known, broken where nothing happened. */
export function Line({ shares }: { shares: (number | null)[] }) {
  const width = WIDTH / shares.length;
  return runsOf(shares).map(({ from, values }) => {
    const points = values.map((share, index) => {
      const y = 2 + (1 - share) * (HEIGHT - 4);
      return `${((from + index + 0.5) * width).toFixed(1)} ${y.toFixed(1)}`;
    });
    // One bucket alone is drawn as wide as it is.
    const line =
      points.length > 1 ? `M${points.join('L')}` : `M${points[0]}m${-width / 2} 0h${width}`;
    const start = ((from + 0.5) * width).toFixed(1);
    const end = ((from + values.length - 0.5) * width).toFixed(1);
    return (
      <g key={from}>
        {points.length > 1 && (
          <path className="chart-area" d={`${line}L${end} ${HEIGHT}L${start} ${HEIGHT}Z`} />
        )}
        <path className="chart-line" d={line} />
      </g>
    );
  });
}

function runsOf(shares: (number | null)[]): { from: number; values: number[] }[] {
  const runs: { from: number; values: number[] }[] = [];
  shares.forEach((share, index) => {
    if (share === null) return;
    const last = runs.at(-1);
    if (last && last.from + last.values.length === index) last.values.push(share);
    else runs.push({ from: index, values: [share] });
  });
  return runs;
}

function momentOf({ at }: Bucket, span: Span): string {
  if (span === 'week') return `${dayOf(at)}, ${clockTime(at)}`;
  return clockTime(at);
}

/** Three labels are enough at every width. */
function axisOf(buckets: Bucket[]): Bucket[] {
  return [0, 1 / 3, 2 / 3].flatMap((share) => buckets[Math.floor(share * buckets.length)] ?? []);
}
