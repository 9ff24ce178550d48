import { type Problem, sentence } from '../problem.ts';
import { Button } from './Button.tsx';
import { WarningIcon } from './icons.tsx';

export function ProblemNote({ problem, onRetry }: { problem: Problem; onRetry?: () => void }) {
  return (
    <div className="note note-bad" role="alert">
      <WarningIcon />
      <p>{sentence(problem.message)}</p>
      {onRetry && (
        <Button kind="quiet" onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  );
}
