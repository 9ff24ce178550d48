/**
 * A chart over the buckets of a span: the drawing, the numbers of the bucket under the pointer, and
 * the same numbers as a table, for people who cannot see the chart or use a pointer.
 */
import { type ReactNode, useState } from 'react';
import { Scroll } from '../lists/Scroll.tsx';
import tableStyles from '../lists/Table.module.css';
import { classes } from '../text/classes.ts';
import { zoneName } from '../text/zone.ts';
import styles from './Chart.module.css';
import { type ChartSpan, type Moment, momentOf } from './moments.ts';
import { Plot, type Scales } from './Plot.tsx';

interface Props<Bucket extends Moment> {
  title: string;
  /** The whole span in one figure. */
  total: string;
  description: string;
  span: ChartSpan;
  buckets: Bucket[];
  /** Of each bucket. */
  heights: readonly number[];
  format(value: number): string;
  /** One bucket in words, for the one under the pointer. */
  summary(bucket: Bucket): string;
  columns: readonly (readonly [head: string, cell: (bucket: Bucket) => string])[];
  legend: ReactNode;
  /** Shows what a bucket counts. The table of numbers needs a link to the same. */
  onOpen?: ((bucket: Bucket) => void) | undefined;
  linkOf?: ((bucket: Bucket, moment: string) => ReactNode) | undefined;
  children(scales: Scales): ReactNode;
}

export function Chart<Bucket extends Moment>(props: Props<Bucket>) {
  const { title, total, description, span, buckets, heights, format, summary, columns } = props;
  const { onOpen, linkOf = (_, moment) => moment } = props;
  const [pointed, setPointed] = useState<number>();
  const bucket = pointed === undefined ? undefined : buckets[pointed];
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        <span className={styles.summary}>
          {bucket ? (
            <>
              <strong>{summary(bucket)}</strong> {momentOf(bucket.at, span)}
              {onOpen && ' · click to open'}
            </>
          ) : (
            <strong>{total}</strong>
          )}
        </span>
      </figcaption>
      <Plot
        title={title}
        description={description}
        span={span}
        buckets={buckets}
        heights={heights}
        format={format}
        pointed={pointed}
        onPoint={setPointed}
        onOpen={onOpen && ((index) => buckets[index] && onOpen(buckets[index]))}
      >
        {props.children}
      </Plot>
      <div className={styles.foot}>
        {props.legend}
        <details className={styles.table}>
          <summary>Numbers</summary>
          <Scroll label={`${title}, numbers`}>
            <table className={classes(tableStyles.table, tableStyles.tight)}>
              <thead>
                <tr>
                  <th scope="col">From, in {span === 'days' ? 'UTC' : zoneName()}</th>
                  {columns.map(([head]) => (
                    <th key={head} scope="col" className={tableStyles.numeric}>
                      {head}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {buckets.toReversed().map((one) => (
                  <tr key={one.at}>
                    <td>{linkOf(one, momentOf(one.at, span))}</td>
                    {columns.map(([head, cell]) => (
                      <td key={head} className={tableStyles.numeric}>
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
