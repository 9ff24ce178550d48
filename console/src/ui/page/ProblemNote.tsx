import { type Problem, sentence } from '../../api/problem.ts';
import { words } from '../../words/words.ts';
import { Button } from '../forms/Button.tsx';
import { classes } from '../text/classes.ts';
import { WarningIcon } from '../text/icons.tsx';
import noteStyles from './Note.module.css';

export function ProblemNote({
  problem,
  onRetry,
}: {
  problem: Problem;
  onRetry?: (() => void) | undefined;
}) {
  return (
    <div className={classes(noteStyles.note, noteStyles.bad)} role="alert" data-note>
      <WarningIcon />
      <p>{sentence(problem.message)}</p>
      {onRetry && (
        <Button kind="quiet" onClick={onRetry}>
          {words.connection.retry}
        </Button>
      )}
    </div>
  );
}
