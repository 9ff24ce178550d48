/** The fields of a key that people fill in, for a new key and for an existing one. */
import type { Key, KeyChanges } from '../model.ts';
import { fieldError, type Problem } from '../problem.ts';
import { isoFromInput, localInput } from '../times.ts';
import { Field } from './Field.tsx';

export interface KeyText {
  label: string;
  expiresAt: string;
  /** One address or CIDR a line. */
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
  problem: Problem | undefined;
}

export function KeyFields({ text, onChange, problem }: Props) {
  return (
    <>
      <Field
        label="Label"
        hint="What it is for, in your words."
        error={fieldError(problem, 'label')}
      >
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
        hint="In your own time zone. Empty: never."
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
        hint="Addresses or CIDRs, one a line. Empty: calls from everywhere."
        error={fieldError(problem, 'allowed_ips')}
      >
        {(props) => (
          <textarea
            {...props}
            rows={3}
            spellCheck={false}
            className="mono"
            value={text.allowedIps}
            onChange={(event) => onChange({ ...text, allowedIps: event.target.value })}
          />
        )}
      </Field>
    </>
  );
}

export function isAtKeyField(problem: Problem | undefined): boolean {
  return ['label', 'expires_at', 'allowed_ips'].some((field) => fieldError(problem, field));
}
