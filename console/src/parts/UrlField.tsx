import { useReceiverCheck } from '../receiver-check.ts';
import { Field } from './Field.tsx';
import { CheckIcon } from './icons.tsx';

interface Props {
  value: string;
  onChange(value: string): void;
  /** What the server said when it was saved. */
  refused: string | undefined;
}

export function UrlField({ value, onChange, refused }: Props) {
  const verdict = useReceiverCheck(value);
  const error = verdict.kind === 'bad' ? verdict.detail : refused;
  return (
    <div>
      <Field
        label="Receiver URL"
        error={error}
        hint="Where webhooks are POSTed. Checked as you type, and again on every connection."
      >
        {(props) => (
          <input
            {...props}
            type="url"
            className="mono"
            spellCheck={false}
            autoComplete="off"
            placeholder="https://"
            value={value}
            onChange={(event) => onChange(event.target.value)}
          />
        )}
      </Field>
      <p className={`verdict verdict-${verdict.kind}`} role="status">
        {verdict.kind === 'checking' && 'Checking…'}
        {verdict.kind === 'good' && (
          <>
            <CheckIcon /> Webhooks can be sent there.
          </>
        )}
      </p>
    </div>
  );
}
