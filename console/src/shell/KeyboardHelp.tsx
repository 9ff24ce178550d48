import { Dialog } from '../ui/dialogs/Dialog.tsx';
import { words } from '../words/words.ts';
import styles from './KeyboardHelp.module.css';
import { Keys } from './Keys.tsx';
import type { Shortcut } from './shortcuts.ts';

interface Props {
  shortcuts: readonly Shortcut[];
  onClose(): void;
}

export default function KeyboardHelp({ shortcuts, onClose }: Props) {
  return (
    <Dialog title={words.keyboard.title} open onClose={onClose}>
      <dl className={styles.keys}>
        {shortcuts.map(({ keys, does }) => (
          <div key={does} className={styles.line}>
            <dt>
              <Keys keys={keys} />
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
