/** A time in the chosen zone, with the other zone on hover. "2 min ago" keeps itself up to date. */
import { useEffect, useState } from 'react';
import { words } from '../../words/words.ts';
import { relativeTime } from './durations.ts';
import styles from './Time.module.css';
import { exactTime, otherTime } from './times.ts';

export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={otherTime(at)}>
      {exactTime(at)}
    </time>
  );
}

export function Ago({ at }: { at: string }) {
  const now = useNow();
  return (
    <time dateTime={at} title={`${exactTime(at)} · ${otherTime(at)}`} className={styles.ago}>
      {relativeTime(at, now)}
    </time>
  );
}

/** When something will happen. An overdue attempt is "due now", not "5 s ago". */
export function Due({ at }: { at: string }) {
  const isPast = useNow() >= Date.parse(at);
  return isPast ? (
    <span title={`${exactTime(at)} · ${otherTime(at)}`}>{words.durations.dueNow}</span>
  ) : (
    <Ago at={at} />
  );
}

export function useNow(everyMs = 1_000): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
