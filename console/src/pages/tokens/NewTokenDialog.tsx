import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { fieldError } from '../../api/problem.ts';
import type { Role, TokenWithSecret } from '../../api/types.ts';
import { entriesOf } from '../../entries.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Choices } from '../../ui/forms/Choices.tsx';
import { type Expiry, ExpiryField, expiresAt } from '../../ui/forms/ExpiryField.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { roles } from './roles.ts';

/** A shift, a week, 30 days, 90 days and a year. */
const usualLives = [8 * 3_600, ...[7, 30, 90, 365].map((days) => days * 86_400)];

interface NewTokenProps {
  onCreated(token: TokenWithSecret): void;
  onClose(): void;
}

export function NewTokenDialog({ onCreated, onClose }: NewTokenProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('support');
  const [expiry, setExpiry] = useState<Expiry>('never');
  const create = useMutation({
    mutationFn: () =>
      call('createToken', {
        body: { name: name.trim(), role, expires_at: expiresAt(expiry) ?? null },
      }),
    onSuccess: (token) => onCreated(token),
  });
  const errorOf = (field: string) => fieldError(create.error, field);
  return (
    <Dialog title="New token" open onClose={onClose}>
      <Form
        submit="Create token"
        busy={create.isPending}
        disabled={name.trim() === '' || expiresAt(expiry) === undefined}
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
        <ExpiryField
          legend="Expires"
          presets={usualLives}
          others={['at', 'never']}
          error={errorOf('expires_at')}
          value={expiry}
          onChange={setExpiry}
        />
      </Form>
    </Dialog>
  );
}
