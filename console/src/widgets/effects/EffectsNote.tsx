/** What a change would do to calls, in numbers. Nobody has to wait for them, and without them the dialog works as well. */
import { sentence } from '../../api/problem.ts';
import { Note } from '../../ui/page/Note.tsx';
import { clockTime } from '../../ui/text/times.ts';
import { counted } from '../../words/en/counted.ts';
import type { CountedEffects, Effects } from './use-effects.ts';

const HOUR_MS = 3_600_000;

interface Props {
  counted: CountedEffects;
  /** What refuses only those calls that it must: how they were spread over an hour is not known. */
  isLeast?: boolean;
}

export function EffectsNote({ counted: { effects, problem, isLate }, isLeast = false }: Props) {
  const isBad = effects !== undefined && effects.lastDay > 0;
  return (
    <div role="status">
      <Note kind={isBad ? 'bad' : problem ? 'warn' : 'plain'}>
        {effects && <Counted effects={effects} isLeast={isLeast} />}
        {!effects && problem && (
          <p>
            How many calls this would refuse could not be counted. {sentence(problem.message)} You
            can go on without the number.
          </p>
        )}
        {!effects && !problem && (
          <p>
            Counting the calls that this would refuse…
            {isLate && ' This takes longer than usual. You can go on without the number.'}
          </p>
        )}
      </Note>
    </div>
  );
}

function Counted({
  effects: { lastHour, lastDay, keys },
  isLeast,
}: {
  effects: Effects;
  isLeast: boolean;
}) {
  if (lastDay === 0) {
    return (
      <p>
        {isLeast
          ? 'The usage of the last 24 hours shows no call that this would refuse. Only calls in a burst may be.'
          : 'No call of the last 24 hours would be refused.'}
      </p>
    );
  }
  return (
    <>
      <p>
        <strong>
          {isLeast && 'At least '}
          {counted(lastHour, 'call')} in the last hour would be refused
        </strong>
        , {counted(lastDay, 'call')} in the last 24 hours{keys > 1 && `, with ${keys} keys`}.
      </p>
      <p>Usage is counted in whole hours, so the last hour begins at {beginningOfHour()}.</p>
    </>
  );
}

function beginningOfHour(): string {
  const startMs = Math.floor((Date.now() - HOUR_MS) / HOUR_MS) * HOUR_MS;
  return clockTime(new Date(startMs).toISOString());
}
