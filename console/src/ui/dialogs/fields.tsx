/** Fields that several dialogs ask for before they act. */
import { TextField } from '../forms/TextField.tsx';

interface Props {
  value: string;
  onChange(text: string): void;
}

/** Why. People may leave it empty. */
export function ReasonField({ value, onChange }: Props) {
  return (
    <TextField
      label="Reason"
      hint="For your colleagues. It is kept in the audit."
      value={value}
      maxLength={500}
      onChange={onChange}
    />
  );
}

/** The text to type before the most serious actions. */
export function TypedField({ wanted, value, onChange }: Props & { wanted: string }) {
  return (
    <TextField
      label={
        <>
          Type <code>{wanted}</code> to confirm
        </>
      }
      value={value}
      onChange={onChange}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
