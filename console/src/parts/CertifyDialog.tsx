import { useState } from 'react';
import { useAction } from '../action.ts';
import { announce } from '../announce.ts';
import { useDesk } from '../desk.tsx';
import type { Partner } from '../model.ts';
import { fieldError } from '../problem.ts';
import { Dialog } from './Dialog.tsx';
import { Field } from './Field.tsx';
import { Form } from './Form.tsx';

interface Props {
  partner: Partner;
  onCertified(partner: Partner): void;
  onClose(): void;
}

export function CertifyDialog({ partner, onCertified, onClose }: Props) {
  const { api } = useDesk();
  const [reference, setReference] = useState('');
  const certify = useAction(async () => {
    onCertified(await api.partners.certify(partner.id, reference.trim()));
    announce(`${partner.name} is certified.`);
    onClose();
  });
  const atField = fieldError(certify.problem, 'reference');
  return (
    <Dialog title={`Certify ${partner.name}`} open onClose={onClose}>
      <Form
        submit="Record certification"
        busy={certify.busy}
        disabled={reference.trim() === ''}
        problem={atField ? undefined : certify.problem}
        onSubmit={() => void certify.run()}
        onCancel={onClose}
      >
        <p className="prose">
          Records that the partner has completed certification. From then on its limits can be
          raised.
        </p>
        <Field
          label="Reference"
          error={atField}
          hint="Where the certification is documented: a ticket, a protocol."
        >
          {(props) => (
            <input
              {...props}
              value={reference}
              maxLength={200}
              onChange={(event) => setReference(event.target.value)}
            />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}
