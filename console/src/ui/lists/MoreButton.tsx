import type { PagedQuery } from '../../api/use-pages.ts';
import { words } from '../../words/words.ts';
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
        {words.lists.more}
      </Button>
      {end && <Button onClick={end.go}>{words.lists.toEnd(end.label)}</Button>}
    </div>
  );
}
