import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import { tokens } from '../../api/support-api.ts';
import type { Role, TokenWithSecret } from '../../api/types.ts';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Choices } from '../../ui/forms/Choices.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { roles } from './roles.ts';

interface NewTokenProps {
  onCreated(token: TokenWithSecret): void;
  onClose(): void;
}

export function NewTokenDialog({ onCreated, onClose }: NewTokenProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('support');
  const create = useMutation({
    mutationFn: () => tokens.create({ name: name.trim(), role }),
    onSuccess: (token) => onCreated(token),
  });
  const atField = fieldError(create.error, 'name');
  return (
    <Dialog title="New token" open onClose={onClose}>
      <Form
        submit="Create token"
        busy={create.isPending}
        disabled={name.trim() === ''}
        problem={atField ? undefined : create.error}
        onSubmit={() => create.mutate()}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          error={atField}
          hint="The name of the person or program. The audit shows it."
          value={name}
          maxLength={200}
          onChange={setName}
        />
        <Choices
          stacked
          legend="Role"
          options={roles.map(([value, meaning]) => ({
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
      </Form>
    </Dialog>
  );
}
