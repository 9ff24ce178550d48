/** Everything about where a delivery stands in one place: its state, why, at which attempt, and when. */
import { Fragment, type ReactNode } from 'react';
import type { Delivery } from '../api/types.ts';
import { Ago, Due } from '../ui/text/Time.tsx';
import { DeliveryBadge } from './badges.tsx';
import styles from './DeliveryTable.module.css';
import { failureInWords } from './failure-words.ts';

export function DeliveryStatus({ delivery }: { delivery: Delivery }) {
  const { attempts_made, next_attempt_at, settled_at, in_flight } = delivery;
  const parts: ReactNode[] = [];
  const failure = failureOf(delivery);
  if (failure) parts.push(<span className={styles.failure}>{failure}</span>);
  if (attempts_made > 1) parts.push(`attempt ${attempts_made}`);
  if (settled_at) parts.push(<Ago at={settled_at} />);
  else if (next_attempt_at && !in_flight) {
    parts.push(
      <>
        {attempts_made > 0 && 'next '}
        <Due at={next_attempt_at} />
      </>,
    );
  }
  return (
    <span className={styles.status}>
      <DeliveryBadge delivery={delivery} />
      <span className={styles.detail}>
        {parts.map((part, index) => (
          <Fragment key={index}>
            {index > 0 && ', '}
            {part}
          </Fragment>
        ))}
      </span>
    </span>
  );
}

/** How the last attempt failed. A reply that was never finished has a status too, but it is not what went wrong. */
function failureOf({ last_failure_code, last_status_code }: Delivery): ReactNode {
  if (last_failure_code === null) return null;
  return last_failure_code === 'status' ? last_status_code : failureInWords(last_failure_code);
}
