/** Fields that several dialogs ask for before they act. */
import { words } from '../../words/words.ts';
import { TextField } from '../forms/TextField.tsx';

interface Props {
  value: string;
  onChange(text: string): void;
}

/** Why. People may leave it empty. */
export function ReasonField({ value, onChange }: Props) {
  return (
    <TextField
      label={words.dialogs.reason}
      hint={words.dialogs.reasonHint}
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
      label={words.dialogs.typed(<code>{wanted}</code>)}
      value={value}
      onChange={onChange}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
