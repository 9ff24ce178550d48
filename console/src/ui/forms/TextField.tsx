/** A labelled field for one line of text, which may be a number, a date or a time. */
import type { InputHTMLAttributes, ReactNode } from 'react';
import textStyles from '../text/text.module.css';
import { Field } from './Field.tsx';

/** A URL is read letter by letter, and nobody wants it corrected. */
const OF_URL = { className: textStyles.mono, spellCheck: false, autoComplete: 'off' };

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
        <input
          {...(input.type === 'url' && OF_URL)}
          {...input}
          {...props}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
}
