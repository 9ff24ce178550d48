/** A labelled field for one line of text, which may be a number, a date or a time. */
import type { InputHTMLAttributes, ReactNode } from 'react';
import { Field } from './Field.tsx';

interface Props extends Omit<InputHTMLAttributes<HTMLInputElement>, 'id' | 'onChange'> {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  value: string;
  onChange(text: string): void;
  /** The class of the field; `className` is that of the input inside. */
  fieldClass?: string | undefined;
}

export function TextField({ label, hint, error, fieldClass, onChange, ...input }: Props) {
  return (
    <Field label={label} hint={hint} error={error} className={fieldClass}>
      {(props) => (
        <input {...input} {...props} onChange={(event) => onChange(event.target.value)} />
      )}
    </Field>
  );
}
