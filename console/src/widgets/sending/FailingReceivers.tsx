/** Names receivers that fail before anything is sent to them. */
import { useQuery } from '@tanstack/react-query';
import type { DeliveryFilter, Midoffice } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { Time } from '../../ui/text/Time.tsx';
import { words } from '../../words/words.ts';
import { resultInWords } from '../failure-words.ts';

/** Of what a filter finds, these say where it goes. */
const LOOKED_AT = 100;
const MOST_NAMED = 5;

export function FailingReceiver({ midoffice }: { midoffice: Midoffice }) {
  const { name, failing_since, last_attempt } = midoffice;
  if (!failing_since) return null;
  return (
    <Note kind="bad">
      <p>{words.sending.failing(name, <Time at={failing_since} />, lastAnswer(last_attempt))}</p>
    </Note>
  );
}

/** Written some seconds after the attempt, so there may be none for a receiver that has just begun to fail. */
function lastAnswer(attempt: Midoffice['last_attempt']): string | undefined {
  if (!attempt) return undefined;
  const { status_code: last_status_code, failure_code: last_failure_code } = attempt;
  return resultInWords({ last_status_code, last_failure_code });
}

interface Props {
  filter: DeliveryFilter;
  selected: readonly { midoffice_id: string | null }[];
}

/** Those of the newest deliveries that the filter finds. */
export function FailingReceivers({ filter, selected }: Props) {
  const { call, environment } = useEnvironment();
  const { data = [] } = useQuery({
    queryKey: [environment, 'failing receivers', filter, selected],
    queryFn: async ({ signal }) => {
      const { ids: _, ...query } = filter;
      const list = { query: { ...query, limit: LOOKED_AT } };
      const some =
        selected.length > 0 ? selected : (await call('listDeliveries', list, signal)).items;
      const ids = new Set(some.flatMap(({ midoffice_id }) => midoffice_id ?? []));
      const named = [...ids].slice(0, MOST_NAMED);
      return Promise.all(named.map((id) => call('getMidoffice', { id }, signal)));
    },
    gcTime: 0,
    staleTime: 'static',
  });
  return data.map((one) => <FailingReceiver key={one.id} midoffice={one} />);
}
