/** The attempts of a delivery, those to come above those that were: the newest news first. */
import type { DeliveryWithAttempts } from '../model.ts';
import { AttemptCard } from './AttemptCard.tsx';
import { Empty } from './Empty.tsx';
import { ClockIcon } from './icons.tsx';
import { Ago, Due, Time } from './Time.tsx';

export function Timeline({ delivery }: { delivery: DeliveryWithAttempts }) {
  const { attempts, in_flight, attempts_made } = delivery;
  const future =
    delivery.future_attempts ?? (delivery.next_attempt_at ? [delivery.next_attempt_at] : []);
  const newestFirst = attempts.toReversed();
  if (newestFirst.length === 0 && future.length === 0 && !in_flight) {
    return <Empty title="No attempt was made." />;
  }
  return (
    <ol className="timeline" reversed>
      <Future times={future} made={attempts_made + (in_flight ? 1 : 0)} />
      {in_flight && (
        <li className="moment moment-now">
          <span className="moment-mark">
            <ClockIcon />
          </span>
          <div className="moment-head">
            <strong>Attempt {attempts_made + 1}</strong> is in flight
          </div>
        </li>
      )}
      {newestFirst.map((attempt, index) => (
        <li
          key={attempt.number}
          className={`moment ${attempt.outcome === 'delivered' ? 'moment-good' : 'moment-bad'}`}
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
        <li className="moment moment-later">
          <span className="moment-mark" />
          <details>
            <summary>
              {later.length} more after that, the last <Ago at={last} />
            </summary>
            <ol className="moment-list">
              {later.map((at, index) => (
                <li key={at}>
                  <span>Attempt {made + 2 + index}</span> <Time at={at} />
                </li>
              ))}
            </ol>
          </details>
        </li>
      )}
      <li className="moment moment-next">
        <span className="moment-mark">
          <ClockIcon />
        </span>
        <div className="moment-head">
          <strong>Attempt {made + 1}</strong> <Due at={next} />
          <span className="moment-time">
            <Time at={next} />
          </span>
        </div>
      </li>
    </>
  );
}
