/** The keys that work anywhere on the page. */
import { Dialog } from '../ui/dialogs/Dialog.tsx';
import styles from './KeyboardHelp.module.css';
import { destinations } from './use-shortcuts.ts';

const keys: readonly (readonly [keys: readonly string[], does: string])[] = [
  [['/'], 'Search everything'],
  [['Ctrl-K'], 'Search everything, also while typing'],
  [['?'], 'Show these keys'],
  ...destinations.map(([key, , title]) => [['g', key], `Go to ${title}`] as const),
  [['Tab'], 'Go to the next control; the first ones are the menu'],
  [['Esc'], 'Close the dialog or the search'],
];

export default function KeyboardHelp({ onClose }: { onClose(): void }) {
  return (
    <Dialog title="Keyboard shortcuts" open onClose={onClose}>
      <dl className={styles.keys}>
        {keys.map(([pressed, does]) => (
          <div key={does} className={styles.line}>
            <dt>
              {pressed.map((key, at) => (
                <span key={key}>
                  {at > 0 && ' then '}
                  <kbd className={styles.key}>{key}</kbd>
                </span>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
