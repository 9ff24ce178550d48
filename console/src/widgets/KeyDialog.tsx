/** The form of a key, for a new key and an existing one. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { fieldError } from '../api/problem.ts';
import type { Key, KeyChanges } from '../api/types.ts';
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { ExpiryField, expiresAt, expiryOf } from '../ui/forms/ExpiryField.tsx';
import { Field } from '../ui/forms/Field.tsx';
import { Form } from '../ui/forms/Form.tsx';
import { TextField } from '../ui/forms/TextField.tsx';
import textStyles from '../ui/text/text.module.css';

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

/** 30 days, 90 days and a year. */
const usualLives = [30, 90, 365].map((days) => days * 86_400);
const fields = ['label', 'expires_at', 'allowed_ips'];

export function KeyDialog<Saved extends Key>(props: Props<Saved>) {
  const { title, submit, apiKey, save, onSaved, onClose, children } = props;
  const [label, setLabel] = useState(apiKey?.label ?? '');
  const [expiry, setExpiry] = useState(expiryOf(apiKey?.expires_at));
  const [allowedIps, setAllowedIps] = useState(apiKey?.allowed_ips?.join('\n') ?? '');
  const ips = allowedIps.split(/[\s,]+/).filter(Boolean);
  const saving = useMutation({
    mutationFn: () =>
      save({
        label: label.trim() || null,
        expires_at: expiresAt(expiry) ?? null,
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
        disabled={expiresAt(expiry) === undefined}
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
        <ExpiryField
          legend="Expires"
          presets={usualLives}
          others={['at', 'never']}
          error={errorOf('expires_at')}
          value={expiry}
          onChange={setExpiry}
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
