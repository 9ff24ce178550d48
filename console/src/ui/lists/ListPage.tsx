/** A page that lists records: its filters, the records, and a button that shows more of them. */
import { type ReactNode, useCallback, useState } from 'react';
import type { PagedQuery } from '../../api/use-pages.ts';
import type { Filters } from '../../app/search-params.ts';
import { FilterBar } from '../forms/Filters.tsx';
import { LiveMark } from '../page/LiveMark.tsx';
import { Loaded } from '../page/Loaded.tsx';
import { Page } from '../page/Page.tsx';
import styles from './ListPage.module.css';
import { MoreButton } from './MoreButton.tsx';
import { SavedViews } from './SavedViews.tsx';
import type { Sorting } from './sorting.tsx';
import { UnappliedProvider } from './unapplied.ts';

interface Props<T> {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  list: PagedQuery<T>;
  /** Says that the list updates itself. */
  isLive?: boolean;
  filter: Pick<Filters<never>, 'isFiltered' | 'clear'>;
  /** Where it can be sorted, and so be read from its end. */
  sorting?: Sorting;
  /** The fields of the filter. */
  fields: ReactNode;
  /** Filters in a row of their own, below the fields. */
  chips?: ReactNode;
  children(records: T[]): ReactNode;
}

export function ListPage<T>(props: Props<T>) {
  const { title, about, actions, list, isLive, filter, sorting, fields, chips, children } = props;
  const [unapplied, report] = useUnappliedFilters();
  return (
    <Page
      title={title}
      badges={isLive && <LiveMark query={list} />}
      about={about}
      actions={
        <div className={styles.actions} inert={unapplied}>
          {actions}
        </div>
      }
    >
      <UnappliedProvider value={report}>
        <FilterBar filtered={filter.isFiltered} onClear={filter.clear}>
          {fields}
        </FilterBar>
      </UnappliedProvider>
      {chips}
      <SavedViews isFiltered={filter.isFiltered} />
      <div className={styles.list} inert={unapplied} data-list>
        <Loaded query={list}>{children}</Loaded>
        <MoreButton query={list} end={sorting?.end} />
      </div>
    </Page>
  );
}

/** While what is typed differs from what is listed, a click would hit a record that nobody asked for. */
function useUnappliedFilters() {
  const [filters, setFilters] = useState<ReadonlySet<string>>(new Set());
  const report = useCallback((filter: string, isUnapplied: boolean) => {
    setFilters((was) => {
      if (was.has(filter) === isUnapplied) return was;
      const next = new Set(was);
      if (!next.delete(filter)) next.add(filter);
      return next;
    });
  }, []);
  return [filters.size > 0, report] as const;
}
