/** A button that opens the dialog for a new record. */
import { type ReactNode, useState } from 'react';
import { Button } from '../forms/Button.tsx';
import { PlusIcon } from '../text/icons.tsx';

interface Props {
  label: string;
  kind?: 'primary' | 'plain';
  dialog(close: () => void): ReactNode;
}

export function NewButton({ label, kind = 'primary', dialog }: Props) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind={kind} command={label} onClick={() => setOpen(true)}>
        <PlusIcon /> {label}
      </Button>
      {isOpen && dialog(() => setOpen(false))}
    </>
  );
}
