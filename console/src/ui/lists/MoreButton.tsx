import type { PagedQuery } from '../../api/use-pages.ts';
import { Button } from '../forms/Button.tsx';
import styles from './MoreButton.module.css';
import type { Sorting } from './sorting.tsx';

interface Props {
  query: PagedQuery<unknown>;
  /** Where the list can be read from its end. */
  end?: Sorting['end'] | undefined;
}

export function MoreButton({ query, end }: Props) {
  if (!query.hasMore) return null;
  return (
    <div className={styles.more}>
      <Button busy={query.isLoadingMore} onClick={query.loadMore}>
        Show more
      </Button>
      {end && <Button onClick={end.go}>Jump to the end: {end.label}</Button>}
    </div>
  );
}
