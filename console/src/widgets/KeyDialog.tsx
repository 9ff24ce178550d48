/** The form of a key, for a new key and an existing one. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fieldError } from '../api/problem.ts';
import type { Key, KeyChanges } from '../api/types.ts';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { Field } from '../ui/forms/Field.tsx';
import { Form } from '../ui/forms/Form.tsx';
import { TextField } from '../ui/forms/TextField.tsx';
import { TimeField } from '../ui/forms/TimeField.tsx';
import textStyles from '../ui/text/text.module.css';
import { isoFromInput, localInput } from '../ui/text/time-input.ts';

interface Props<Saved extends Key> {
  title: string;
  submit: string;
  apiKey?: Key;
  save(changes: KeyChanges): Promise<Saved>;
  onSaved(key: Saved): void;
  onClose(): void;
  /** What shows below the fields. */
  children?: ReactNode;
}

const fields = ['label', 'expires_at', 'allowed_ips'];

export function KeyDialog<Saved extends Key>(props: Props<Saved>) {
  const { title, submit, apiKey, save, onSaved, onClose, children } = props;
  const [label, setLabel] = useState(apiKey?.label ?? '');
  const [expiresAt, setExpiresAt] = useState(localInput(apiKey?.expires_at));
  const [allowedIps, setAllowedIps] = useState(apiKey?.allowed_ips?.join('\n') ?? '');
  const ips = allowedIps.split(/[\s,]+/).filter(Boolean);
  const saving = useMutation({
    mutationFn: () =>
      save({
        label: label.trim() || null,
        expires_at: isoFromInput(expiresAt) ?? null,
        allowed_ips: ips.length > 0 ? ips : null,
      }),
    onSuccess: (key) => onSaved(key),
  });
  const errorOf = (field: string) => fieldError(saving.error, field);
  return (
    <Dialog title={title} open onClose={onClose}>
      <Form
        submit={submit}
        busy={saving.isPending}
        problem={fields.some(errorOf) ? undefined : saving.error}
        onSubmit={() => saving.mutate()}
        onCancel={onClose}
      >
        <TextField
          label="Label"
          hint="What the key is for."
          error={errorOf('label')}
          value={label}
          maxLength={200}
          onChange={setLabel}
        />
        <TimeField
          label="Expires at"
          hint="Leave empty for a key that never expires."
          error={errorOf('expires_at')}
          value={expiresAt}
          onChange={setExpiresAt}
        />
        <Field
          label="Allowed addresses"
          hint="IP addresses or CIDRs, one per line. Leave empty to allow calls from anywhere."
          error={errorOf('allowed_ips')}
        >
          {(props) => (
            <textarea
              {...props}
              rows={3}
              spellCheck={false}
              className={textStyles.mono}
              value={allowedIps}
              onChange={(event) => setAllowedIps(event.target.value)}
            />
          )}
        </Field>
        {children}
      </Form>
    </Dialog>
  );
}
