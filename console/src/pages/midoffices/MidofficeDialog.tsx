import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Midoffice, NewMidoffice } from '../../api/types.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import {
  isAtMidofficeField,
  isComplete,
  MidofficeFields,
  type MidofficeText,
  midofficeText,
  newMidoffice,
} from './MidofficeFields.tsx';

interface Props {
  title: string;
  submit: string;
  midoffice?: Midoffice;
  /** What the fields of a new midoffice start with. */
  initial?: Partial<MidofficeText>;
  onSave(fields: NewMidoffice): Promise<unknown>;
  onClose(): void;
}

export function MidofficeDialog({ title, submit, midoffice, initial, onSave, onClose }: Props) {
  const [text, setText] = useState({ ...midofficeText(midoffice), ...initial });
  const save = useMutation({ mutationFn: () => onSave(newMidoffice(text)) });
  return (
    <Dialog title={title} open onClose={onClose} wide>
      <Form
        submit={submit}
        busy={save.isPending}
        disabled={!isComplete(text)}
        problem={isAtMidofficeField(save.error) ? undefined : save.error}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <MidofficeFields text={text} onChange={setText} problem={save.error} />
      </Form>
    </Dialog>
  );
}
