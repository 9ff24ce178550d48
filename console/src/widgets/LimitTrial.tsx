/** How many calls of the last 7 days a limit would have refused, and at which hours, as the limit is typed. */
import type { LimitTrial as Trial } from '../api/types.ts';
import { useDebounced } from '../api/use-debounced.ts';
import { type QuerySource, useLiveQuery } from '../api/use-live-query.ts';
import pairStyles from '../ui/lists/Pairs.module.css';
import { Scroll } from '../ui/lists/Scroll.tsx';
import { Time } from '../ui/text/Time.tsx';
import textStyles from '../ui/text/text.module.css';
import { words } from '../words/words.ts';
import styles from './LimitTrial.module.css';

const PAUSE_MS = 300;
const { trial: said } = words.limits;

interface Numbers {
  requests_number: number;
  seconds_number: number;
}

interface Props {
  /** Undefined while no valid one is typed. */
  limit: Numbers | undefined;
  sourceOf(limit: Numbers): QuerySource<Trial>;
}

export function LimitTrial({ limit, sourceOf }: Props) {
  const typed = limit && `${limit.requests_number}/${limit.seconds_number}`;
  const settled = useDebounced(typed, PAUSE_MS);
  if (!limit) return null;
  return (
    <section className={styles.trial} aria-label={said.title}>
      <h3>{said.title}</h3>
      {settled === typed ? <Tried source={sourceOf(limit)} /> : <p>{said.reading}</p>}
    </section>
  );
}

function Tried({ source }: { source: QuerySource<Trial> }) {
  const { data, problem } = useLiveQuery(source);
  return (
    <>
      <p role="status">{data ? sentenceOf(data) : (problem?.message ?? said.reading)}</p>
      {data && data.hours.length > 0 && <Hours hours={data.hours} />}
    </>
  );
}

function Hours({ hours }: Pick<Trial, 'hours'>) {
  return (
    <>
      <p className={textStyles.dim}>{said.why}</p>
      <details>
        <summary>{said.hours(hours.length)}</summary>
        <Scroll label={said.newestFirst}>
          <ul className={pairStyles.list}>
            {hours.toReversed().map((hour) => (
              <li key={hour.at}>
                <Time at={hour.at} />
                <span>{said.ofHour(rangeOf(hour), hour.calls)}</span>
              </li>
            ))}
          </ul>
        </Scroll>
      </details>
    </>
  );
}

type Counts = Pick<Trial, 'at_least' | 'at_most' | 'calls'>;

function sentenceOf(counts: Counts): string {
  if (counts.calls === 0) return said.noCalls;
  return counts.at_most === 0 ? said.none(counts.calls) : said.some(rangeOf(counts), counts.calls);
}

function rangeOf({ at_least, at_most }: Counts): string {
  if (at_least === at_most) return said.exactly(at_most);
  return at_least === 0 ? said.atMost(at_most) : said.between(at_least, at_most);
}
