/** Says that the page is up to date, or how long ago it was. */
import type { LiveQuery } from '../../api/use-live-query.ts';
import { words } from '../../words/words.ts';
import { classes } from '../text/classes.ts';
import { spanOf } from '../text/durations.ts';
import { useNow } from '../text/Time.tsx';
import styles from './LiveMark.module.css';

export function LiveMark({ query }: { query: LiveQuery<unknown> }) {
  const now = useNow();
  const { readAt, problem } = query;
  if (readAt === undefined) return null;
  const seconds = Math.max(0, Math.round((now - readAt) / 1_000));
  return (
    <span className={classes(styles.live, problem && styles.lost)}>
      <span className={styles.dot} />
      {problem ? words.page.stale(spanOf(seconds)) : words.page.live}
    </span>
  );
}
