/** Shows the data, a placeholder until it is there, and the problem if it cannot be read. */
import type { ReactNode } from 'react';
import { useConnectionLost } from '../../api/connection.ts';
import type { LiveQuery } from '../../api/use-live-query.ts';
import { words } from '../../words/words.ts';
import textStyles from '../text/text.module.css';
import styles from './Loaded.module.css';
import { ProblemNote } from './ProblemNote.tsx';

interface Props<T> {
  query: LiveQuery<T>;
  children(data: T): ReactNode;
}

export function Loaded<T>({ query, children }: Props<T>) {
  const { data, retry } = query;
  const isLost = useConnectionLost() !== undefined;
  // The banner says that the server is away, once for the whole page.
  const problem = isLost && query.problem?.code === 'unreachable' ? undefined : query.problem;
  return (
    <>
      {problem && <ProblemNote problem={problem} onRetry={problem.isFinal ? undefined : retry} />}
      {data !== undefined ? children(data) : !problem && <Waiting />}
    </>
  );
}

export function Waiting() {
  return (
    <div className={styles.waiting} role="status" data-loading>
      <span className={textStyles.visuallyHidden}>{words.page.loading}</span>
      <span className={styles.line} />
      <span className={styles.line} />
      <span className={styles.line} />
    </div>
  );
}
