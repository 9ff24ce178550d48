/** Columns that a list can be sorted by. The order is in the address, with a minus if it is turned round. */
import { turned } from '@bellhop/rules/lists';
import { sortParams } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { Field } from '../forms/Field.tsx';
import styles from './sorting.module.css';
import type { Column } from './Table.tsx';

/** In the words of people. */
const orderWords: Readonly<Record<string, string>> = {
  '-at': 'newest first',
  at: 'oldest first',
  '-created_at': 'newest first',
  created_at: 'oldest first',
  '-id': 'newest first',
  id: 'oldest first',
  name: 'by name',
  '-name': 'by name, from Z to A',
  expires_at: 'next to expire first',
  '-expires_at': 'last to expire first',
  last_used_on: 'longest unused first',
  '-last_used_on': 'last used first',
};

export interface Sorting {
  /** Undefined for the list's own order. */
  sort: string | undefined;
  orders: readonly string[];
  /** Undefined if the list is not sorted by this field. */
  isAscending(field: string): boolean | undefined;
  /** The list from its end. */
  end: { label: string; go(): void };
  turn(field: string): void;
  choose(sort: string): void;
}

/** The first of the orders is that of the list when none is chosen. One that the list does not have counts as none. */
export function useSorting(orders: readonly [string, ...string[]]): Sorting {
  const { filters, change } = useFilters(sortParams);
  const [byDefault] = orders;
  const sort = orders.includes(filters.sort ?? '') ? filters.sort : undefined;
  const current = sort ?? byDefault;
  const choose = (next: string) => change({ sort: next === byDefault ? '' : next });
  const fromEnd = turned(current);
  return {
    sort,
    orders,
    end: { label: orderWords[fromEnd] ?? fromEnd, go: () => choose(fromEnd) },
    isAscending(field) {
      if (current === field) return true;
      return current === `-${field}` ? false : undefined;
    },
    /** A column starts as the default does, or from A to Z. */
    turn(field) {
      const first = byDefault === `-${field}` ? byDefault : field;
      const other = first === field ? `-${field}` : field;
      const next = current === first ? other : first;
      choose(next);
    },
    choose,
  };
}

export function sortable<Row>(sorting: Sorting, field: string, column: Column<Row>): Column<Row> {
  if (!sorting.orders.includes(field)) return column;
  const isAscending = sorting.isAscending(field);
  const arrow = isAscending === undefined ? '↕' : isAscending ? '↑' : '↓';
  return {
    ...column,
    sorted: isAscending === undefined ? 'none' : isAscending ? 'ascending' : 'descending',
    headCell: (
      <>
        <button type="button" className={styles.head} onClick={() => sorting.turn(field)}>
          {column.head}
          <span className={styles.arrow} data-arrow={arrow} data-off={isAscending === undefined} />
        </button>
        <span className={styles.plain}>{column.head}</span>
      </>
    ),
  };
}

/** For phones, where a list is a stack of cards without heads. */
export function SortChoice({ sorting }: { sorting: Sorting }) {
  return (
    <Field label="Order" className={styles.choice}>
      {(props) => (
        <select
          {...props}
          value={sorting.sort ?? sorting.orders[0]}
          onChange={(event) => sorting.choose(event.target.value)}
        >
          {sorting.orders.map((order) => (
            <option key={order} value={order}>
              {orderWords[order]}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
