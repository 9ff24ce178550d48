import type { Delivery } from '../api/types.ts';
import { Badge } from '../ui/text/Badge.tsx';
import textStyles from '../ui/text/text.module.css';
import { words } from '../words/words.ts';
import { failureInWords } from './failure-words.ts';

interface Props {
  delivery: Pick<Delivery, 'attempts_made' | 'last_status_code' | 'last_failure_code'>;
  /** Adds which attempt it was. */
  withNumber?: boolean;
}

/** How the last attempt of a delivery ended. */
export function LastResult({ delivery, withNumber = false }: Props) {
  const { attempts_made, last_status_code, last_failure_code } = delivery;
  if (attempts_made === 0) return '–';
  const tone = last_failure_code === null ? 'good' : 'bad';
  // A reply that was never finished has a status too, but its status is not what went wrong.
  const hasAnswer = last_failure_code === null || last_failure_code === 'status';
  return (
    <>
      <Badge tone={tone}>{hasAnswer ? last_status_code : failureInWords(last_failure_code)}</Badge>
      {withNumber && attempts_made > 1 && (
        <span className={textStyles.dim} title={words.attempts.resultOf(attempts_made)}>
          {' '}
          #{attempts_made}
        </span>
      )}
    </>
  );
}
