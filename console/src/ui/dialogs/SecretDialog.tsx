/** A secret that is shown once. It stays on the page until someone confirms having saved it. */
import { words } from '../../words/words.ts';
import { Button } from '../forms/Button.tsx';
import formStyles from '../forms/Form.module.css';
import { Note } from '../page/Note.tsx';
import { CopyButton } from '../text/CopyButton.tsx';
import { Dialog } from './Dialog.tsx';
import styles from './SecretDialog.module.css';

interface Props {
  title: string;
  /** The names and values to copy, including the secret. */
  lines: [name: string, value: string][];
  advice: string;
  onClose(): void;
}

export function SecretDialog({ title, lines, advice, onClose }: Props) {
  return (
    <Dialog title={title} open onClose={onClose} mustAnswer>
      <Note kind="warn">{advice}</Note>
      <dl className={styles.secret}>
        {lines.map(([name, value]) => (
          <div key={name} className={styles.line}>
            <dt>{name}</dt>
            <dd>
              <code>{value}</code>
              <CopyButton text={value} label={words.copying.copy(name)} />
            </dd>
          </div>
        ))}
      </dl>
      <div className={formStyles.buttons} data-form-buttons>
        <Button kind="primary" onClick={onClose}>
          {words.dialogs.saved}
        </Button>
      </div>
    </Dialog>
  );
}
