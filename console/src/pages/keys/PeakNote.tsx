import type { Grant } from '../../api/types.ts';
import { useLiveQuery } from '../../api/use-live-query.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Facts } from '../../ui/page/Facts.tsx';
import textStyles from '../../ui/text/text.module.css';
import { limitInWords } from '../../widgets/limit-words.ts';

interface Props {
  keyId: string;
  /** Undefined if the key does not have the endpoint. */
  grant: Grant | undefined;
  /** The limit that is to be granted. */
  asked: Pick<Grant, 'endpoint' | 'is_limited' | 'requests_number' | 'seconds_number'>;
}

/** Whether a higher limit is needed: what was used, beside the number that is asked for. */
export function PeakNote({ keyId, grant, asked }: Props) {
  const { queries } = useEnvironment();
  const { data, problem } = useLiveQuery(queries.peaks(keyId));
  const peak = data?.items.find(({ endpoint }) => endpoint === asked.endpoint);
  return (
    <Facts
      facts={[
        ['Peak of the last 30 days', peakInWords()],
        ['Limit now', grant ? limitInWords(grant) : 'not granted'],
        ['Asked for', limitInWords(asked)],
      ]}
    />
  );

  function peakInWords() {
    if (problem) return 'cannot be read';
    if (!data) return '…';
    if (!peak) return 'no limited calls';
    return (
      <>
        {peak.calls} {peak.calls === 1 ? 'call' : 'calls'} in one window{' '}
        <span className={textStyles.dim}>
          ({Math.floor(peak.share * 100)} % of the limit at the time)
        </span>
      </>
    );
  }
}
