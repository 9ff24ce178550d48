/**
 * A chart over the buckets of a span: the drawing, the numbers of the bucket under the pointer, and
 * the same numbers as a table, for people who cannot see the chart or use a pointer.
 */
import { type ReactNode, useState } from 'react';
import { Scroll } from '../lists/Scroll.tsx';
import tableStyles from '../lists/Table.module.css';
import { classes } from '../text/classes.ts';
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
  highest: number;
  format(value: number): string;
  /** One bucket in words, for the one under the pointer. */
  summary(bucket: Bucket): string;
  columns: readonly (readonly [head: string, cell: (bucket: Bucket) => string])[];
  legend: ReactNode;
  children(scales: Scales): ReactNode;
}

export function Chart<Bucket extends Moment>(props: Props<Bucket>) {
  const { title, total, description, span, buckets, highest, format, summary, columns } = props;
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
        highest={highest}
        format={format}
        pointed={pointed}
        onPoint={setPointed}
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
                  <th scope="col">From</th>
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
                    <td>{momentOf(one.at, span)}</td>
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
