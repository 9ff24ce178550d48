/** A table that becomes a stack of cards of two lines where there is no room for columns. */
import type { AriaAttributes, ReactNode } from 'react';
import { classes } from '../text/classes.ts';
import { GroupHead } from './GroupHead.tsx';
import type { Folds, Group } from './groups.ts';
import styles from './Table.module.css';

export interface Column<Row> {
  head: string;
  cell(row: Row): ReactNode;
  numeric?: boolean;
  /** Shown instead of `head`: see sorting.tsx. */
  headCell?: ReactNode;
  sorted?: AriaAttributes['aria-sort'];
  /**
   * On a phone: `lead` goes to the end of the first line, `second` begins the second line without its head, `hidden` is
   * left out, and the others share the rest of the second line.
   */
  phone?: 'lead' | 'second' | 'hidden';
}

interface Props<Row> {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  /** Of the rows, where there are many of them. */
  groups?: readonly Group<Row>[];
  folds?: Folds;
  keyOf(row: Row): string;
  /** Shown instead of a table without rows. */
  empty?: ReactNode;
  /** On a phone, cards are as tall as all of their columns need. */
  isTall?: boolean;
}

export function Table<Row>(props: Props<Row>) {
  const { label, columns, rows, groups, folds, keyOf, empty, isTall } = props;
  if (rows.length === 0 && empty) return empty;
  const oneRow = (row: Row) => (
    <tr key={keyOf(row)}>
      {columns.map((column) => (
        <td
          key={column.head}
          data-label={column.head}
          data-phone={column.phone}
          className={column.numeric ? styles.numeric : undefined}
        >
          <div className={styles.cell}>{column.cell(row)}</div>
        </td>
      ))}
    </tr>
  );
  return (
    <div className={styles.frame} data-table>
      <table
        className={classes(styles.table, styles.cards, isTall && styles.tall)}
        aria-label={label}
      >
        <thead>
          <tr>
            {columns.map((column) => (
              <th
                key={column.head}
                scope="col"
                aria-sort={column.sorted}
                className={column.numeric ? styles.numeric : undefined}
              >
                {column.headCell ?? column.head}
              </th>
            ))}
          </tr>
        </thead>
        {groups && folds ? (
          groups.map((group) => (
            <tbody key={group.name} data-folds={folds.isOpen(group.name) ? 'open' : 'closed'}>
              <GroupHead group={group} columns={columns.length} folds={folds} />
              {group.rows.map(oneRow)}
            </tbody>
          ))
        ) : (
          <tbody>{rows.map(oneRow)}</tbody>
        )}
      </table>
    </div>
  );
}
