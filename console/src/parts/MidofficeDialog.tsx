import { useState } from 'react';
import { useAction } from '../action.ts';
import type { Midoffice, NewMidoffice } from '../model.ts';
import { Dialog } from './Dialog.tsx';
import { Form } from './Form.tsx';
import {
  isAtMidofficeField,
  isComplete,
  MidofficeFields,
  midofficeText,
  newMidoffice,
} from './MidofficeFields.tsx';

interface Props {
  title: string;
  submit: string;
  midoffice?: Midoffice;
  onSave(fields: NewMidoffice): Promise<unknown>;
  onClose(): void;
}

export function MidofficeDialog({ title, submit, midoffice, onSave, onClose }: Props) {
  const [text, setText] = useState(midofficeText(midoffice));
  const save = useAction(() => onSave(newMidoffice(text)));
  return (
    <Dialog title={title} open onClose={onClose} wide>
      <Form
        submit={submit}
        busy={save.busy}
        disabled={!isComplete(text)}
        problem={isAtMidofficeField(save.problem) ? undefined : save.problem}
        onSubmit={() => void save.run()}
        onCancel={onClose}
      >
        <MidofficeFields text={text} onChange={setText} problem={save.problem} />
      </Form>
    </Dialog>
  );
}
