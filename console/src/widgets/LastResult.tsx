import type { Delivery } from '../api/types.ts';
import { Badge } from '../ui/text/Badge.tsx';
import textStyles from '../ui/text/text.module.css';
import { words } from '../words/words.ts';
import { resultInWords } from './failure-words.ts';

interface Props {
  delivery: Pick<Delivery, 'attempts_made' | 'last_status_code' | 'last_failure_code'>;
  /** Adds which attempt it was. */
  withNumber?: boolean;
}

/** How the last attempt of a delivery ended. */
export function LastResult({ delivery, withNumber = false }: Props) {
  const { attempts_made, last_failure_code } = delivery;
  if (attempts_made === 0) return '–';
  const tone = last_failure_code === null ? 'good' : 'bad';
  return (
    <>
      <Badge tone={tone}>{resultInWords(delivery)}</Badge>
      {withNumber && attempts_made > 1 && (
        <span className={textStyles.dim} title={words.attempts.resultOf(attempts_made)}>
          {' '}
          #{attempts_made}
        </span>
      )}
    </>
  );
}
