/** Says that the server does not answer, once for the whole page, and disappears when it does. */
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { probe, useConnectionLost } from '../api/connection.ts';
import { Button } from '../ui/forms/Button.tsx';
import { spanOf } from '../ui/text/durations.ts';
import { useNow } from '../ui/text/Time.tsx';
import { words } from '../words/words.ts';
import styles from './ConnectionBanner.module.css';

export function ConnectionBanner() {
  const lostAt = useConnectionLost();
  useReadAgainWhenFound(lostAt === undefined);
  useEffect(() => {
    document.documentElement.toggleAttribute('data-connection-lost', lostAt !== undefined);
  }, [lostAt]);
  return (
    <div role="status">
      {lostAt !== undefined && (
        <div className={styles.banner}>
          <p>
            <strong>{words.connection.lost}</strong>{' '}
            <span className={styles.more}>
              {words.connection.stale(<Before lostAt={lostAt} />)}
            </span>
          </p>
          <Button kind="quiet" onClick={() => void probe()}>
            {words.connection.retry}
          </Button>
        </div>
      )}
    </div>
  );
}

function Before({ lostAt }: { lostAt: number }) {
  const seconds = Math.max(1, Math.round((useNow() - lostAt) / 1_000));
  return words.durations.ago(spanOf(seconds));
}

/** Queries that failed meanwhile would otherwise wait for the end of their pause, up to a minute. */
function useReadAgainWhenFound(isFound: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isFound) return;
    const waiting = client.getQueryCache().findAll({ fetchStatus: 'fetching' });
    const failed = waiting.filter(({ state }) => state.fetchFailureCount > 0);
    for (const { queryKey } of failed) {
      void client
        .cancelQueries({ queryKey, exact: true })
        .then(() => client.refetchQueries({ queryKey, exact: true }));
    }
  }, [client, isFound]);
}
