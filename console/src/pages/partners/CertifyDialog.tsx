import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { fieldError } from '../../api/problem.ts';
import type { Partner } from '../../api/types.ts';
import { useEnvironment } from '../../app/environment.tsx';
import { Dialog } from '../../ui/dialogs/Dialog.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import { Form } from '../../ui/forms/Form.tsx';
import { announce } from '../../ui/page/announce.ts';
import textStyles from '../../ui/text/text.module.css';

interface Props {
  partner: Partner;
  onClose(): void;
}

export function CertifyDialog({ partner, onClose }: Props) {
  const { api } = useEnvironment();
  const [reference, setReference] = useState('');
  const certify = useMutation({
    mutationFn: () => api.partners.certify(partner.id, reference.trim()),
    onSuccess: () => {
      announce(`${partner.name} is certified.`);
      onClose();
    },
  });
  const atField = fieldError(certify.error, 'reference');
  return (
    <Dialog title={`Certify ${partner.name}`} open onClose={onClose}>
      <Form
        submit="Record certification"
        busy={certify.isPending}
        disabled={reference.trim() === ''}
        problem={atField ? undefined : certify.error}
        onSubmit={() => certify.mutate()}
        onCancel={onClose}
      >
        <p className={textStyles.prose}>
          Records that the partner has completed certification. Its limits can be raised from then
          on.
        </p>
        <Field
          label="Reference"
          error={atField}
          hint="Where the certification is documented, such as a ticket or a report."
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
