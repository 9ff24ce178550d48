import type { Delivery } from '../api/types.ts';
import { Badge } from '../ui/text/Badge.tsx';
import { failureInWords } from './failure-words.ts';

/** How the last attempt of a delivery ended. */
export function LastResult({
  delivery: { attempts_made, last_status_code, last_failure_code },
}: {
  delivery: Delivery;
}) {
  if (attempts_made === 0) return '–';
  const tone = last_failure_code === null ? 'good' : 'bad';
  return <Badge tone={tone}>{last_status_code ?? failureInWords(last_failure_code ?? '')}</Badge>;
}
