import { useState } from 'react';
import { useAction } from '../action.ts';
import { useDesk } from '../desk.tsx';
import type { KeyWithSecret, Partner } from '../model.ts';
import { Dialog } from './Dialog.tsx';
import { Form } from './Form.tsx';
import { isAtKeyField, KeyFields, keyChanges, keyText } from './KeyFields.tsx';

interface Props {
  partner: Partner;
  onCreated(key: KeyWithSecret): void;
  onClose(): void;
}

export function NewKeyDialog({ partner, onCreated, onClose }: Props) {
  const { api, environment } = useDesk();
  const [text, setText] = useState(keyText());
  const create = useAction(async () => {
    onCreated(await api.partners.createKey(partner.id, keyChanges(text)));
  });
  return (
    <Dialog title={`New ${environment} key for ${partner.name}`} open onClose={onClose}>
      <Form
        submit="Create key"
        busy={create.busy}
        problem={isAtKeyField(create.problem) ? undefined : create.problem}
        onSubmit={() => void create.run()}
        onCancel={onClose}
      >
        <KeyFields text={text} onChange={setText} problem={create.problem} />
        <p className="field-hint">
          It gets all 43 endpoints with the usual limits; change them on the key's page.
        </p>
      </Form>
    </Dialog>
  );
}
