/** Asks the server about a receiver URL while it is typed. */
import { useQuery } from '@tanstack/react-query';
import { useDebounced } from '../../api/use-debounced.ts';
import { problemOf } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';

const PAUSE_MS = 400;

export type Verdict =
  | { kind: 'none' }
  | { kind: 'checking' }
  | { kind: 'good'; url: string }
  | { kind: 'bad'; detail: string };

export function useReceiverCheck(text: string): Verdict {
  const { queries } = useEnvironment();
  const url = text.trim();
  const checked = useDebounced(url, PAUSE_MS);
  const query = useQuery({
    ...queries.receiverCheck(checked),
    enabled: checked !== '',
    // A name can resolve to another address later, so no verdict is kept.
    gcTime: 0,
  });
  const problem = problemOf(query);
  if (url === '') return { kind: 'none' };
  if (checked !== url) return { kind: 'checking' };
  if (problem) return { kind: 'bad', detail: problem.message };
  if (!query.data) return { kind: 'checking' };
  const { data } = query;
  return data.ok
    ? { kind: 'good', url: data.url ?? url }
    : { kind: 'bad', detail: data.detail ?? 'Webhooks cannot be sent to this URL.' };
}
