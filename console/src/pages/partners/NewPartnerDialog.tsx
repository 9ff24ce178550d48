import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { TextField } from '../../ui/forms/TextField.tsx';
import { Toggle } from '../../ui/forms/Toggle.tsx';
import { announce } from '../../ui/page/announce.ts';

interface Props {
  onClose(): void;
  onCreated(partner: Partner): void;
}

export function NewPartnerDialog({ onClose, onCreated }: Props) {
  const { call, environment } = useEnvironment();
  const [name, setName] = useState('');
  const [startedOn, setStartedOn] = useState('');
  const [isNew, setIsNew] = useState(true);
  const create = useMutation({
    mutationFn: () =>
      call('createPartner', {
        body: { name: name.trim(), integration_started_on: startedOn, is_new: isNew },
      }),
    onSuccess: (partner) => {
      announce(`Created ${partner.name}.`);
      onCreated(partner);
    },
  });
  const problem = create.error;
  const notOffered = problem?.code === 'sandbox_not_offered' ? problem.message : undefined;
  const atFields =
    notOffered ??
    fieldError(problem, 'name') ??
    fieldError(problem, 'integration_started_on') ??
    fieldError(problem, 'is_new');
  return (
    <Dialog title={`New partner in ${environment}`} open onClose={onClose}>
      <Form
        submit="Create partner"
        busy={create.isPending}
        disabled={name.trim() === '' || startedOn === ''}
        problem={atFields ? undefined : problem}
        onSubmit={() => create.mutate()}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          error={fieldError(problem, 'name')}
          value={name}
          maxLength={200}
          onChange={setName}
        />
        <TextField
          label="Integration starts on"
          error={notOffered ?? fieldError(problem, 'integration_started_on')}
          hint={
            environment === 'sandbox' && !notOffered
              ? 'The sandbox is open to new partners who start within the offer, by default Q4 2025.'
              : undefined
          }
          type="date"
          value={startedOn}
          onChange={setStartedOn}
        />
        <Toggle label="New to the API" checked={isNew} onChange={setIsNew} />
      </Form>
    </Dialog>
  );
}
