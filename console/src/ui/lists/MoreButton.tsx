import type { PagedQuery } from '../../api/use-pages.ts';
import { Button } from '../forms/Button.tsx';
import styles from './MoreButton.module.css';

export function MoreButton({ query }: { query: PagedQuery<unknown> }) {
  if (!query.hasMore) return null;
  return (
    <div className={styles.more}>
      <Button busy={query.isLoadingMore} onClick={query.loadMore}>
        Show more
      </Button>
    </div>
  );
}
