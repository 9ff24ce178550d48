/** A page that lists records: its filters, the records, and a button that shows more of them. */
import type { ReactNode } from 'react';
import type { PagedQuery } from '../../api/use-pages.ts';
import type { Filters } from '../../app/search-params.ts';
import { FilterBar } from '../forms/Filters.tsx';
import { LiveMark } from '../page/LiveMark.tsx';
import { Loaded } from '../page/Loaded.tsx';
import { Page } from '../page/Page.tsx';
import { MoreButton } from './MoreButton.tsx';

interface Props<T> {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  list: PagedQuery<T>;
  /** Says that the list updates itself. */
  isLive?: boolean;
  filter: Pick<Filters<never>, 'isFiltered' | 'clear'>;
  /** The fields of the filter. */
  fields: ReactNode;
  /** Filters in a row of their own, below the fields. */
  chips?: ReactNode;
  children(records: T[]): ReactNode;
}

export function ListPage<T>(props: Props<T>) {
  const { title, about, actions, list, isLive, filter, fields, chips, children } = props;
  return (
    <Page
      title={title}
      badges={isLive && <LiveMark query={list} />}
      about={about}
      actions={actions}
    >
      <FilterBar filtered={filter.isFiltered} onClear={filter.clear}>
        {fields}
      </FilterBar>
      {chips}
      <Loaded query={list}>{children}</Loaded>
      <MoreButton query={list} />
    </Page>
  );
}
