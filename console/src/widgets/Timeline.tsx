/** The attempts of a delivery, newest first: planned ones above those that were made. */
import type { DeliveryWithAttempts } from '../api/types.ts';
import { Empty } from '../ui/page/Empty.tsx';
import { classes } from '../ui/text/classes.ts';
import { ClockIcon, PauseIcon } from '../ui/text/icons.tsx';
import { Ago, Due, Time } from '../ui/text/Time.tsx';
import { words } from '../words/words.ts';
import attemptStyles from './Attempt.module.css';
import { AttemptCard } from './AttemptCard.tsx';

type Attempted = Pick<
  DeliveryWithAttempts,
  'attempts' | 'in_flight' | 'paused' | 'attempts_made' | 'future_attempts' | 'next_attempt_at'
>;

export function Timeline({ delivery }: { delivery: Attempted }) {
  const { attempts, in_flight, paused, attempts_made } = delivery;
  const future =
    delivery.future_attempts ?? (delivery.next_attempt_at ? [delivery.next_attempt_at] : []);
  const newestFirst = attempts.toReversed();
  if (newestFirst.length === 0 && future.length === 0 && !in_flight && !paused) {
    return <Empty title={words.attempts.none} />;
  }
  return (
    <ol className={attemptStyles.timeline} reversed>
      <Future times={future} made={attempts_made + (in_flight ? 1 : 0)} />
      {(in_flight || paused) && (
        <li className={`${attemptStyles.moment} ${attemptStyles.now}`}>
          <span className={attemptStyles.mark}>{in_flight ? <ClockIcon /> : <PauseIcon />}</span>
          <div className={attemptStyles.head}>
            {words.attempts[in_flight ? 'inFlight' : 'paused'](
              <strong>{words.attempts.attempt(attempts_made + 1)}</strong>,
            )}
          </div>
        </li>
      )}
      {newestFirst.map((attempt, index) => (
        <li
          key={attempt.number}
          className={classes(
            attemptStyles.moment,
            attempt.outcome === 'delivered' ? attemptStyles.good : attemptStyles.bad,
          )}
        >
          <AttemptCard attempt={attempt} isOpen={index === 0} />
        </li>
      ))}
    </ol>
  );
}

function Future({ times, made }: { times: string[]; made: number }) {
  const [next, ...later] = times;
  if (!next) return null;
  const last = later.at(-1);
  return (
    <>
      {last && (
        <li className={`${attemptStyles.moment} ${attemptStyles.later}`}>
          <span className={attemptStyles.mark} />
          <details>
            <summary>{words.attempts.later(later.length, <Ago at={last} />)}</summary>
            <ol className={attemptStyles.list}>
              {later.map((at, index) => (
                <li key={at}>
                  <span>{words.attempts.attempt(made + 2 + index)}</span> <Time at={at} />
                </li>
              ))}
            </ol>
          </details>
        </li>
      )}
      <li className={`${attemptStyles.moment} ${attemptStyles.next}`}>
        <span className={attemptStyles.mark}>
          <ClockIcon />
        </span>
        <div className={attemptStyles.head}>
          <strong>{words.attempts.attempt(made + 1)}</strong> <Due at={next} />
          <span className={attemptStyles.time}>
            <Time at={next} />
          </span>
        </div>
      </li>
    </>
  );
}
