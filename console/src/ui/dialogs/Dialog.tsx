/** A modal dialog. It keeps the focus inside, returns it afterwards, and closes on Escape. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef, useState } from 'react';
import { words } from '../../words/words.ts';
import buttonStyles from '../forms/Button.module.css';
import { classes } from '../text/classes.ts';
import { CloseIcon } from '../text/icons.tsx';
import styles from './Dialog.module.css';

interface Props {
  title: string;
  open: boolean;
  onClose(): void;
  wide?: boolean;
  /** Only a button inside closes it: a stray click or key must not lose a secret shown once. */
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
  const popup = useRef<HTMLDivElement>(null);
  const [openedFrom] = useState(() => ancestorsOf(document.activeElement));
  return (
    <Base.Root
      open={open}
      onOpenChange={(next) => !next && !mustAnswer && onClose()}
      disablePointerDismissal={mustAnswer}
    >
      <Base.Portal>
        {/* Also of a dialog above another one, which would look like a part of it. */}
        <Base.Backdrop className={styles.backdrop} forceRender />
        <Base.Popup
          ref={popup}
          className={classes(styles.dialog, wide && styles.wide)}
          finalFocus={() => nearest(openedFrom)}
          initialFocus={(openedBy) => openedBy === 'touch' || firstToFill(popup.current)}
        >
          <header className={styles.head}>
            <Base.Title className={styles.title}>{title}</Base.Title>
            {!mustAnswer && (
              <Base.Close className={buttonStyles.icon} aria-label={words.dialogs.close}>
                <CloseIcon />
              </Base.Close>
            )}
          </header>
          <div className={styles.body}>{children}</div>
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/**
 * The first field, while it is empty and the form cannot be sent without it. In other dialogs the cursor stays out of
 * the fields: Enter, held for too long, must not send what it has just opened.
 */
function firstToFill(popup: HTMLElement | null): HTMLElement | true {
  const cannotSend = popup?.querySelector('button[type="submit"]:disabled');
  const first = popup?.querySelector<HTMLInputElement>('form input');
  return cannotSend && first?.value === '' ? first : true;
}

function ancestorsOf(element: Element | null): Element[] {
  return element ? [element, ...ancestorsOf(element.parentElement)] : [];
}

/** The button that opened it may be gone with what it has changed: then the focus goes to what stands in its place. */
function nearest([opener, ...around]: Element[]): HTMLElement | true {
  if (!opener || opener.isConnected) return true;
  const place = around.find((one) => one.isConnected);
  return place?.querySelector<HTMLElement>('button:not(:disabled), a, input') ?? true;
}
