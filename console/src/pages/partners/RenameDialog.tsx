import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { Form } from '../../ui/forms/Form.tsx';

interface Props {
  title: string;
  name: string;
  onRename(name: string): Promise<unknown>;
  onClose(): void;
}

export function RenameDialog({ title, name, onRename, onClose }: Props) {
  const [text, setText] = useState(name);
  const rename = useMutation({ mutationFn: () => onRename(text.trim()), onSuccess: onClose });
  const atField = fieldError(rename.error, 'name') ?? fieldError(rename.error, 'label');
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form
        submit="Save"
        busy={rename.isPending}
        disabled={text.trim() === ''}
        problem={atField ? undefined : rename.error}
        onSubmit={() => rename.mutate()}
        onCancel={onClose}
      >
        <Field label="Name" error={atField}>
          {(props) => (
            <input
              {...props}
              value={text}
              maxLength={200}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}
