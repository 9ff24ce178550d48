import { fieldTitle } from '@bellhop/rules/field-names';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../api/problem.ts';
import type { Partner, SandboxOffer } from '../api/types.ts';
import { useEnvironment } from '../app/environment.tsx';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { Form } from '../ui/forms/Form.tsx';
import { TextField } from '../ui/forms/TextField.tsx';
import { Toggle } from '../ui/forms/Toggle.tsx';
import { announce } from '../ui/page/announce.ts';
import { today } from '../ui/text/time-input.ts';
import { calendarDate } from '../ui/text/times.ts';

interface Props {
  onClose(): void;
  onCreated(partner: Partner): void;
}

export function NewPartnerDialog({ onClose, onCreated }: Props) {
  const { call, environment, queries } = useEnvironment();
  const [name, setName] = useState('');
  const { data: offer } = useQuery({
    ...queries.sandboxOffer(),
    enabled: environment === 'sandbox',
  });
  const [chosen, setChosen] = useState<string>();
  const startedOn = chosen ?? suggestedStart(environment, offer);
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
  const isOutside = offer && (!isNew || (startedOn !== '' && !isIn(offer, startedOn)));
  const outside = isOutside ? saying(offer) : undefined;
  const notOffered = problem?.code === 'sandbox_not_offered' ? problem.message : outside;
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
        disabled={name.trim() === '' || startedOn === '' || outside !== undefined}
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
          hint={offer && !notOffered ? saying(offer) : undefined}
          type="date"
          value={startedOn}
          onChange={setChosen}
        />
        <Toggle label={fieldTitle('is_new')} checked={isNew} onChange={setIsNew} />
      </Form>
    </Dialog>
  );
}

/** Today, unless the sandbox is not offered today: a date that is always refused would be no help. */
function suggestedStart(environment: string, offer: SandboxOffer | undefined): string {
  const now = today();
  if (environment !== 'sandbox') return now;
  return offer && isIn(offer, now) ? now : '';
}

function isIn({ from, until }: SandboxOffer, day: string): boolean {
  return day >= from && day <= until;
}

function saying({ from, until }: SandboxOffer): string {
  return `The sandbox is offered to new partners that start from ${calendarDate(from)} to ${calendarDate(until)}.`;
}
