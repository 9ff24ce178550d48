import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Key } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { announce } from '../../ui/page/announce.ts';
import { isAtKeyField, KeyFields, keyChanges, keyText } from '../../widgets/KeyFields.tsx';

interface Props {
  apiKey: Key;
  onClose(): void;
}

export function EditKeyDialog({ apiKey, onClose }: Props) {
  const { api } = useEnvironment();
  const [text, setText] = useState(keyText(apiKey));
  const save = useMutation({
    mutationFn: () => api.keys.update(apiKey.key_id, keyChanges(text)),
    onSuccess: () => {
      announce('The key is saved.');
      onClose();
    },
  });
  return (
    <Dialog title={`Edit key ${apiKey.key_id}`} open onClose={onClose}>
      <Form
        submit="Save"
        busy={save.isPending}
        problem={isAtKeyField(save.error) ? undefined : save.error}
        onSubmit={() => save.mutate()}
        onCancel={onClose}
      >
        <KeyFields text={text} onChange={setText} problem={save.error} />
      </Form>
    </Dialog>
  );
}
