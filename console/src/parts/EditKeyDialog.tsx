import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import type { Key } from '../model.ts';
import { Dialog } from './Dialog.tsx';
import { Form } from './Form.tsx';
import { isAtKeyField, KeyFields, keyChanges, keyText } from './KeyFields.tsx';

interface Props {
  apiKey: Key;
  onSaved(key: Key): void;
  onClose(): void;
}

export function EditKeyDialog({ apiKey, onSaved, onClose }: Props) {
  const { api } = useDesk();
  const [text, setText] = useState(keyText(apiKey));
  const save = useAction(async () => {
    onSaved(await api.keys.update(apiKey.key_id, keyChanges(text)));
    announce('The key is saved.');
    onClose();
  });
  return (
    <Dialog title={`Edit key ${apiKey.key_id}`} open onClose={onClose}>
      <Form
        submit="Save"
        busy={save.busy}
        problem={isAtKeyField(save.problem) ? undefined : save.problem}
        onSubmit={() => void save.run()}
        onCancel={onClose}
      >
        <KeyFields text={text} onChange={setText} problem={save.problem} />
      </Form>
    </Dialog>
  );
}
