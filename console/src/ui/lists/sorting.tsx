/** Columns that a list can be sorted by. The order is in the address, with a minus if it is turned round. */
import { sortParams } from '../../app/routes.ts';
import { useFilters } from '../../app/search-params.ts';
import { Field } from '../forms/Field.tsx';
import styles from './sorting.module.css';
import type { Column } from './Table.tsx';

export interface Sorting {
  /** Undefined for the list's own order. */
  sort: string | undefined;
  isAscending(field: string): boolean | undefined;
  turn(field: string): void;
  choose(sort: string): void;
}

/** `byDefault` is the order of the list when none is chosen. */
export function useSorting(byDefault: string): Sorting {
  const { filters, change } = useFilters(sortParams);
  const current = filters.sort ?? byDefault;
  return {
    sort: filters.sort,
    isAscending(field) {
      if (current === field) return true;
      return current === `-${field}` ? false : undefined;
    },
    /** A column starts as the default does, or from A to Z. */
    turn(field) {
      const first = byDefault === `-${field}` ? byDefault : field;
      const other = first === field ? `-${field}` : field;
      const next = current === first ? other : first;
      change({ sort: next === byDefault ? '' : next });
    },
    choose: (sort) => change({ sort }),
  };
}

export function sortable<Row>(sorting: Sorting, field: string, column: Column<Row>): Column<Row> {
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

interface ChoiceProps {
  sorting: Sorting;
  /** The default has an empty name. */
  options: readonly (readonly [sort: string, label: string])[];
}

/** For phones, where a list is a stack of cards without heads. */
export function SortChoice({ sorting, options }: ChoiceProps) {
  return (
    <Field label="Order" className={styles.choice}>
      {(props) => (
        <select
          {...props}
          value={sorting.sort ?? ''}
          onChange={(event) => sorting.choose(event.target.value)}
        >
          {options.map(([sort, label]) => (
            <option key={sort} value={sort}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
