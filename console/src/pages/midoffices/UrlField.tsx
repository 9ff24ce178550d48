import { fieldTitle } from '@bellhop/rules/field-names';
import { TextField } from '../../ui/forms/TextField.tsx';
import { classes } from '../../ui/text/classes.ts';
import { CheckIcon } from '../../ui/text/icons.tsx';
import styles from './UrlField.module.css';
import { useReceiverCheck } from './use-receiver-check.ts';

interface Props {
  value: string;
  onChange(value: string): void;
  /** The server's objection when it was saved. */
  refused: string | undefined;
}

export function UrlField({ value, onChange, refused }: Props) {
  const verdict = useReceiverCheck(value);
  const error = verdict.kind === 'bad' ? verdict.detail : refused;
  return (
    <div>
      <TextField
        label={fieldTitle('url')}
        error={error}
        hint="Webhooks are POSTed to this URL. It is checked as you type, and again on every connection."
        type="url"
        placeholder="https://"
        value={value}
        onChange={onChange}
      />
      <p
        className={classes(styles.verdict, verdict.kind !== 'checking' && styles[verdict.kind])}
        role="status"
      >
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
