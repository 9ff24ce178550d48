import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { KeyWithSecret, Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import fieldStyles from '../../ui/forms/Field.module.css';
import { Form } from '../../ui/forms/Form.tsx';
import { isAtKeyField, KeyFields, keyChanges, keyText } from '../../widgets/KeyFields.tsx';

interface Props {
  partner: Partner;
  onCreated(key: KeyWithSecret): void;
  onClose(): void;
}

export function NewKeyDialog({ partner, onCreated, onClose }: Props) {
  const { api, environment } = useEnvironment();
  const [text, setText] = useState(keyText());
  const create = useMutation({
    mutationFn: () => api.partners.createKey(partner.id, keyChanges(text)),
    onSuccess: (key) => onCreated(key),
  });
  return (
    <Dialog title={`New ${environment} key for ${partner.name}`} open onClose={onClose}>
      <Form
        submit="Create key"
        busy={create.isPending}
        problem={isAtKeyField(create.error) ? undefined : create.error}
        onSubmit={() => create.mutate()}
        onCancel={onClose}
      >
        <KeyFields text={text} onChange={setText} problem={create.error} />
        <p className={fieldStyles.hint}>
          The key gets all 43 endpoints with the default limits. Change them on the key's page.
        </p>
      </Form>
    </Dialog>
  );
}
