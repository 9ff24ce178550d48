/** A modal: keeps the focus inside, gives it back afterwards, closes on Escape. */
import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';
import { CloseIcon } from './icons.tsx';

interface Props {
  title: string;
  open: boolean;
  onClose(): void;
  wide?: boolean;
  /** A secret shown once must not vanish by a stray click or key: only its own button closes it. */
  mustAnswer?: boolean;
  children: ReactNode;
}

export function Dialog({
  title,
  open,
  onClose,
  wide = false,
  mustAnswer = false,
  children,
}: Props) {
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && !mustAnswer && onClose()}
      disablePointerDismissal={mustAnswer}
    >
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog ${wide ? 'dialog-wide' : ''}`}>
          <header className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            {!mustAnswer && (
              <Base.Close className="icon-button" aria-label="Close">
                <CloseIcon />
              </Base.Close>
            )}
          </header>
          <div className="dialog-body">{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
