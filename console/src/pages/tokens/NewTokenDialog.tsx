import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { fieldError } from '../../api/problem.ts';
import type { Role, TokenWithSecret } from '../../api/types.ts';
import { entriesOf } from '../../entries.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Choices } from '../../ui/forms/Choices.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { TimeField } from '../../ui/forms/TimeField.tsx';
import { isoFromInput } from '../../ui/text/time-input.ts';
import { roles } from './roles.ts';

interface NewTokenProps {
  onCreated(token: TokenWithSecret): void;
  onClose(): void;
}

export function NewTokenDialog({ onCreated, onClose }: NewTokenProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('support');
  const [expiresAt, setExpiresAt] = useState('');
  const create = useMutation({
    mutationFn: () =>
      call('createToken', {
        body: { name: name.trim(), role, expires_at: isoFromInput(expiresAt) ?? null },
      }),
    onSuccess: (token) => onCreated(token),
  });
  const errorOf = (field: string) => fieldError(create.error, field);
  return (
    <Dialog title="New token" open onClose={onClose}>
      <Form
        submit="Create token"
        busy={create.isPending}
        disabled={name.trim() === ''}
        problem={errorOf('name') || errorOf('expires_at') ? undefined : create.error}
        onSubmit={() => create.mutate()}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          error={errorOf('name')}
          hint="The name of the person or program. The audit shows it."
          value={name}
          maxLength={200}
          onChange={setName}
        />
        <Choices
          stacked
          legend="Role"
          options={entriesOf(roles).map(([value, { meaning }]) => ({
            value,
            label: (
              <span>
                <strong>{value}</strong> {meaning}
              </span>
            ),
          }))}
          value={role}
          onChange={setRole}
        />
        <TimeField
          label="Expires at"
          hint="Leave empty for a token that never expires."
          error={errorOf('expires_at')}
          value={expiresAt}
          onChange={setExpiresAt}
        />
      </Form>
    </Dialog>
  );
}
