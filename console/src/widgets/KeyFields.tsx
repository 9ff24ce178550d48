/** The fields of a key's form, for a new key and an existing one. */
import { fieldError, type Problem } from '../api/problem.ts';
import type { Key, KeyChanges } from '../api/types.ts';
import { Field } from '../ui/forms/Field.tsx';
import textStyles from '../ui/text/text.module.css';
import { isoFromInput, localInput } from '../ui/text/times.ts';

export interface KeyText {
  label: string;
  expiresAt: string;
  /** One address or CIDR per line. */
  allowedIps: string;
}

export function keyText(key?: Key): KeyText {
  return {
    label: key?.label ?? '',
    expiresAt: localInput(key?.expires_at),
    allowedIps: key?.allowed_ips?.join('\n') ?? '',
  };
}

export function keyChanges({ label, expiresAt, allowedIps }: KeyText): KeyChanges {
  const ips = allowedIps.split(/[\s,]+/).filter(Boolean);
  return {
    label: label.trim() || null,
    expires_at: isoFromInput(expiresAt) ?? null,
    allowed_ips: ips.length > 0 ? ips : null,
  };
}

interface Props {
  text: KeyText;
  onChange(text: KeyText): void;
  problem: Problem | null | undefined;
}

export function KeyFields({ text, onChange, problem }: Props) {
  return (
    <>
      <Field label="Label" hint="What the key is for." error={fieldError(problem, 'label')}>
        {(props) => (
          <input
            {...props}
            value={text.label}
            maxLength={200}
            onChange={(event) => onChange({ ...text, label: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Expires at"
        hint="In your time zone. Leave empty for a key that never expires."
        error={fieldError(problem, 'expires_at')}
      >
        {(props) => (
          <input
            {...props}
            type="datetime-local"
            value={text.expiresAt}
            onChange={(event) => onChange({ ...text, expiresAt: event.target.value })}
          />
        )}
      </Field>
      <Field
        label="Allowed addresses"
        hint="IP addresses or CIDRs, one per line. Leave empty to allow calls from anywhere."
        error={fieldError(problem, 'allowed_ips')}
      >
        {(props) => (
          <textarea
            {...props}
            rows={3}
            spellCheck={false}
            className={textStyles.mono}
            value={text.allowedIps}
            onChange={(event) => onChange({ ...text, allowedIps: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

export function isAtKeyField(problem: Problem | null | undefined): boolean {
  return ['label', 'expires_at', 'allowed_ips'].some((field) => fieldError(problem, field));
}
