/** A form in a dialog or on a page: its fields, the problem if there is one, and its buttons. */
import type { FormEvent, ReactNode } from 'react';
import type { Problem } from '../../api/problem.ts';
import { words } from '../../words/words.ts';
import { ProblemNote } from '../page/ProblemNote.tsx';
import { Button } from './Button.tsx';
import styles from './Form.module.css';

interface Props {
  submit: string;
  danger?: boolean;
  busy: boolean;
  disabled?: boolean;
  /** Not for problems that a field shows already. */
  problem: Problem | null | undefined;
  onSubmit(): void;
  onCancel?: (() => void) | undefined;
  /** What the other button says, where "Cancel" could be taken for the action. */
  cancel?: string | undefined;
  children: ReactNode;
}

export function Form(props: Props) {
  const { submit, danger, busy, disabled = false, problem, onSubmit, onCancel, children } = props;
  const { cancel = words.dialogs.cancel } = props;
  function send(event: FormEvent) {
    event.preventDefault();
    onSubmit();
  }
  return (
    <form className={styles.form} onSubmit={send} noValidate>
      {children}
      {problem && <ProblemNote problem={problem} />}
      <div className={styles.buttons} data-form-buttons>
        {onCancel && <Button onClick={onCancel}>{cancel}</Button>}
        <Button type="submit" kind={danger ? 'danger' : 'primary'} busy={busy} disabled={disabled}>
          {submit}
        </Button>
      </div>
    </form>
  );
}
