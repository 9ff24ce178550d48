/** What becomes of webhooks that are being sent, in a dialog. */
import { sentence } from '../../api/problem.ts';
import { Button } from '../../ui/forms/Button.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import formStyles from '../../ui/forms/Form.module.css';
import { Toggle } from '../../ui/forms/Toggle.tsx';
import { Note } from '../../ui/page/Note.tsx';
import { ProblemNote } from '../../ui/page/ProblemNote.tsx';
import { words } from '../../words/words.ts';
import { ProgressBar } from '../ProgressBar.tsx';
import type { Progress, Sending } from './use-sending.ts';

interface Props {
  sending: Sending;
  progress: Progress;
  onClose(): void;
}

export function SendingReport({ sending, progress, onClose }: Props) {
  const { phase, total, sent, outcome, why } = progress;
  const { problem } = sending;
  const settled = outcome.delivered + outcome.failed + outcome.paused;
  const isUnderWay = !problem && phase !== 'held' && phase !== 'over';
  return (
    <div className={formStyles.form}>
      {isUnderWay && (
        <ProgressBar
          label={words.sending.progress}
          value={phase === 'sending' ? sent : settled}
          max={Math.max(1, phase === 'following' ? sent : total)}
        />
      )}
      <div role="status">
        {mainLine(progress).map((line, n) => (
          <p key={line}>{n === 0 ? <strong>{line}</strong> : line}</p>
        ))}
      </div>
      {why && <Note kind="bad">{sentence(why)}</Note>}
      {problem && <ProblemNote problem={problem} />}
      {problem && sent < total && <p>{words.sending.left(sent, total - sent)}</p>}
      <div className={formStyles.buttons} data-form-buttons>
        {phase === 'held' && !problem && (
          <Button onClick={sending.goOn}>{words.sending.goOn(total - sent)}</Button>
        )}
        <Button kind={isUnderWay ? 'plain' : 'primary'} onClick={onClose}>
          {isUnderWay && progress.canStop ? words.sending.stop : words.dialogs.close}
        </Button>
      </div>
    </div>
  );
}

function mainLine(progress: Progress): string[] {
  const { phase, total, sent, order, outcome, isFollowedInPart } = progress;
  const { tried, notTried, rest, sentOf, isPaused, later, waiting } = words.sending;
  if (phase === 'trying') return [words.sending.trying(order), rest(total - 1)];
  if (phase === 'sending') return [sentOf(sent, total)];
  if (phase === 'held') {
    const [reason] = outcome.reasons.keys();
    const first = outcome.paused > 0 ? isPaused : reason ? tried(order, reason) : notTried(order);
    return [first, words.sending.restUnsent(total - sent)];
  }
  const retried = outcome.failed - outcome.givenUp;
  return [
    words.sending.outcome(outcome),
    ...(outcome.paused > 0 ? [isPaused] : []),
    ...(phase === 'over' && outcome.open > 0 ? [later(outcome.open)] : []),
    ...(retried > 0 ? [waiting(retried)] : []),
    ...(isFollowedInPart ? [words.sending.inPart] : []),
  ];
}

interface TryFirstProps {
  count: number;
  isOn: boolean;
  onChange(isOn: boolean): void;
}

/** Nothing for a single one. */
export function TryFirst({ count, isOn, onChange }: TryFirstProps) {
  if (count < 2) return null;
  return (
    <div className={fieldStyles.field}>
      <Toggle label={words.sending.tryFirst} checked={isOn} onChange={onChange} />
      <p className={fieldStyles.hint}>{words.sending.tryFirstHint}</p>
    </div>
  );
}
