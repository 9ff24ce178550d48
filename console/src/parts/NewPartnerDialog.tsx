import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import type { Partner } from '../model.ts';
import { fieldError } from '../problem.ts';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Form } from './Form.tsx';
import { Toggle } from './Toggle.tsx';

interface Props {
  onClose(): void;
  onCreated(partner: Partner): void;
}

export function NewPartnerDialog({ onClose, onCreated }: Props) {
  const { api, environment } = useDesk();
  const [name, setName] = useState('');
  const [startedOn, setStartedOn] = useState('');
  const [isNew, setIsNew] = useState(true);
  const create = useAction(async () => {
    const partner = await api.partners.create({
      name: name.trim(),
      integration_started_on: startedOn,
      is_new: isNew,
    });
    announce(`Created ${partner.name}.`);
    onCreated(partner);
  });
  const { problem } = create;
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
        busy={create.busy}
        disabled={name.trim() === '' || startedOn === ''}
        problem={atFields ? undefined : problem}
        onSubmit={() => void create.run()}
        onCancel={onClose}
      >
        <Field label="Name" error={fieldError(problem, 'name')}>
          {(props) => (
            <input
              {...props}
              value={name}
              maxLength={200}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
        <Field
          label="Integration starts on"
          error={notOffered ?? fieldError(problem, 'integration_started_on')}
          hint={
            environment === 'sandbox' && !notOffered
              ? 'The sandbox is offered to new partners who begin inside the offer, by default Q4 2025.'
              : undefined
          }
        >
          {(props) => (
            <input
              {...props}
              type="date"
              value={startedOn}
              onChange={(event) => setStartedOn(event.target.value)}
            />
          )}
        </Field>
        <Toggle label="New to the API" checked={isNew} onChange={setIsNew} />
      </Form>
    </Dialog>
  );
}
