/** Asks before something that cannot be undone; the gravest things want a word typed. */
import { type ReactNode, useState } from 'react';
import { useAction } from '../action.ts';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Form } from './Form.tsx';

interface Props {
  title: string;
  submit: string;
  /** What must be typed to go on. */
  typed?: string;
  onConfirm(): Promise<unknown>;
  onClose(): void;
  children: ReactNode;
}

export function ConfirmDialog({ title, submit, typed, onConfirm, onClose, children }: Props) {
  const [text, setText] = useState('');
  const confirm = useAction(onConfirm);
  async function send() {
    if (await confirm.run()) onClose();
  }
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form
        submit={submit}
        danger
        busy={confirm.busy}
        disabled={typed !== undefined && text.trim() !== typed}
        problem={confirm.problem}
        onSubmit={() => void send()}
        onCancel={onClose}
      >
        <div className="prose">{children}</div>
        {typed !== undefined && (
          <Field
            label={
              <>
                Type <code>{typed}</code> to confirm
              </>
            }
          >
            {(props) => (
              <input
                {...props}
                value={text}
                onChange={(event) => setText(event.target.value)}
                autoComplete="off"
                spellCheck={false}
              />
            )}
          </Field>
        )}
      </Form>
    </Dialog>
  );
}
