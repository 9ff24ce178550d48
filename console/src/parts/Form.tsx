/** A form in a dialog or on a page: fields, what went wrong, and its buttons. */
import type { FormEvent, ReactNode } from 'react';
import type { Problem } from '../problem.ts';
import { Button } from './Button.tsx';
import { ProblemNote } from './ProblemNote.tsx';

interface Props {
  submit: string;
  danger?: boolean;
  busy: boolean;
  disabled?: boolean;
  /** What is not shown at a field already. */
  problem: Problem | undefined;
  onSubmit(): void;
  onCancel?: (() => void) | undefined;
  children: ReactNode;
}

export function Form(props: Props) {
  const { submit, danger, busy, disabled = false, problem, onSubmit, onCancel, children } = props;
  function send(event: FormEvent) {
    event.preventDefault();
    onSubmit();
  }
  return (
    <form className="form" onSubmit={send} noValidate>
      {children}
      {problem && <ProblemNote problem={problem} />}
      <div className="form-buttons">
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
        <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
