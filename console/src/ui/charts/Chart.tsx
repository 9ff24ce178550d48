/**
 * A chart over the buckets of a span: the drawing, the numbers of the bucket under the pointer, and
 * the same numbers as a table, for people who cannot see the chart or use a pointer.
 */
import { type ReactNode, useState } from 'react';
import { words } from '../../words/words.ts';
import { Scroll } from '../lists/Scroll.tsx';
import tableStyles from '../lists/Table.module.css';
import { classes } from '../text/classes.ts';
import { zoneName } from '../text/zone.ts';
import styles from './Chart.module.css';
import { type ChartSpan, type Moment, momentOf } from './moments.ts';
import { Plot, type Scales } from './Plot.tsx';

/** Shows the records behind a bucket. */
export interface Opening<Bucket> {
  /** Which records, since a list need not have the same ones that the bucket counts. */
  what: string;
  /** Whether there may be some; always, if not given. */
  has?(bucket: Bucket): boolean;
  open(bucket: Bucket): void;
  /** The same, from the table of numbers. */
  link(bucket: Bucket, moment: string): ReactNode;
}

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
  opening?: Opening<Bucket> | undefined;
  children(scales: Scales): ReactNode;
}

export function Chart<Bucket extends Moment>(props: Props<Bucket>) {
  const { title, total, description, span, buckets, heights, format, summary, columns } = props;
  const { opening } = props;
  const openingOf = (one: Bucket) => (opening?.has?.(one) === false ? undefined : opening);
  const [pointed, setPointed] = useState<number>();
  const bucket = pointed === undefined ? undefined : buckets[pointed];
  const opens = bucket && openingOf(bucket);
  return (
    <figure className={styles.chart}>
      <figcaption className={styles.head}>
        <span className={styles.title}>{title}</span>
        <span className={styles.summary}>
          {bucket ? (
            <>
              <strong>{summary(bucket)}</strong> {momentOf(bucket.at, span)}
              {opens && ` · ${words.charts.opens(opens.what)}`}
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
        onOpen={
          opening && ((index) => buckets[index] && openingOf(buckets[index])?.open(buckets[index]))
        }
      >
        {props.children}
      </Plot>
      <div className={styles.foot}>
        {props.legend}
        <details className={styles.table}>
          <summary>{words.charts.numbers}</summary>
          <Scroll label={words.charts.numbersOf(title)}>
            <table className={classes(tableStyles.table, tableStyles.tight)}>
              <thead>
                <tr>
                  <th scope="col">{words.charts.from(span === 'days' ? 'UTC' : zoneName())}</th>
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
                    <td>
                      {openingOf(one)?.link(one, momentOf(one.at, span)) ?? momentOf(one.at, span)}
                    </td>
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
