/** The client certificate of a midoffice. What is saved is kept unless another pair is given, or it is removed. */
import { fieldError, type Problem } from '../../api/problem.ts';
import type { Midoffice, NewMidoffice } from '../../api/types.ts';
import { Button } from '../../ui/forms/Button.tsx';
import { Field } from '../../ui/forms/Field.tsx';
import textStyles from '../../ui/text/text.module.css';
import { dateOf } from '../../ui/text/times.ts';

export interface CertificateText {
  /** Both in PEM; empty if they stay as they are. */
  certificate: string;
  privateKey: string;
  /** What is saved; undefined if nothing is, or it is to be removed. */
  saved: NonNullable<Midoffice['client_certificate']> | undefined;
}

export function certificateText(midoffice?: Midoffice): CertificateText {
  return { certificate: '', privateKey: '', saved: midoffice?.client_certificate ?? undefined };
}

/** Left out if it stays as it is. */
export function newCertificate(text: CertificateText): Pick<NewMidoffice, 'client_certificate'> {
  const { certificate, privateKey, saved } = text;
  if (certificate.trim() || privateKey.trim()) {
    return { client_certificate: { certificate, private_key: privateKey } };
  }
  return saved ? {} : { client_certificate: null };
}

interface Props {
  text: CertificateText;
  onChange(text: CertificateText): void;
  problem: Problem | null | undefined;
}

export function CertificateFields({ text, onChange, problem }: Props) {
  const { saved } = text;
  const keyError = fieldError(problem, 'client_certificate/private_key');
  const part = (
    name: 'certificate' | 'privateKey',
    label: string,
    hint: string,
    error: string | undefined,
  ) => (
    <Field label={label} hint={hint} error={error}>
      {(props) => (
        <textarea
          {...props}
          rows={3}
          className={textStyles.mono}
          spellCheck={false}
          autoComplete="off"
          value={text[name]}
          onChange={(event) => onChange({ ...text, [name]: event.target.value })}
        />
      )}
    </Field>
  );
  return (
    <>
      {saved && (
        <p>
          Saved certificate: {saved.subject}, valid until {dateOf(saved.not_after)}.{' '}
          <Button kind="quiet" onClick={() => onChange({ ...text, saved: undefined })}>
            Remove it
          </Button>
        </p>
      )}
      {part(
        'certificate',
        'Client certificate',
        saved
          ? 'In PEM. Empty: the saved one stays.'
          : 'In PEM, if the receiver asks for one (mutual TLS).',
        keyError ? undefined : fieldError(problem, 'client_certificate'),
      )}
      {part(
        'privateKey',
        'Private key of the certificate',
        'In PEM, unencrypted. It is stored sealed, and never shown.',
        keyError,
      )}
    </>
  );
}
