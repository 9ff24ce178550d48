import { useState } from 'react';
import { useAction } from '../action.ts';
import { fieldError } from '../problem.ts';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Form } from './Form.tsx';

interface Props {
  title: string;
  name: string;
  onRename(name: string): Promise<unknown>;
  onClose(): void;
}

export function RenameDialog({ title, name, onRename, onClose }: Props) {
  const [text, setText] = useState(name);
  const rename = useAction(async () => {
    await onRename(text.trim());
    onClose();
  });
  const atField = fieldError(rename.problem, 'name') ?? fieldError(rename.problem, 'label');
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form
        submit="Save"
        busy={rename.busy}
        disabled={text.trim() === ''}
        problem={atField ? undefined : rename.problem}
        onSubmit={() => void rename.run()}
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
