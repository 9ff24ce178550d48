/** A dialog that asks for one line of text. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import { Form } from '../forms/Form.tsx';
import { TextField } from '../forms/TextField.tsx';
import { Dialog } from './Dialog.tsx';

interface Props {
  title: string;
  submit: string;
  label: string;
  hint?: string;
  /** The name of the text in the API, by which a refusal is shown at the field. */
  field: string;
  initial?: string;
  maxLength?: number;
  onSave(text: string): Promise<unknown>;
  onClose(): void;
  /** What shows above the field. */
  children?: ReactNode;
}

export function TextDialog(props: Props) {
  const { title, submit, label, hint, field, initial = '', onSave, onClose, children } = props;
  const { maxLength = 200 } = props;
  const [text, setText] = useState(initial);
  const save = useMutation({ mutationFn: () => onSave(text.trim()), onSuccess: onClose });
  const error = fieldError(save.error, field);
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form
        submit={submit}
        busy={save.isPending}
        disabled={text.trim() === ''}
        problem={error ? undefined : save.error}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        {children}
        <TextField
          label={label}
          hint={hint}
          error={error}
          value={text}
          maxLength={maxLength}
          onChange={setText}
        />
      </Form>
    </Dialog>
  );
}
