/** Rows of what gives access to the portal: what it is, what it may do, and a button that ends it. */
import { type ReactNode, useState } from 'react';
import { useEnvironment } from '../../../app/environment.tsx';
import { ConfirmDialog } from '../../../ui/dialogs/ConfirmDialog.tsx';
import { Button } from '../../../ui/forms/Button.tsx';
import rowsStyles from '../../../ui/lists/Rows.module.css';
import { announce } from '../../../ui/page/announce.ts';
import textStyles from '../../../ui/text/text.module.css';
import styles from './AccessRows.module.css';

export function AccessRows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <h3 className={styles.title}>{label}</h3>
      <ul className={rowsStyles.rows} aria-label={label}>
        {children}
      </ul>
    </>
  );
}

interface Ending {
  /** What screen readers hear after "End". */
  what: string;
  title: string;
  text: string;
  done: string;
  end(): Promise<unknown>;
}

interface Props {
  head: ReactNode;
  children: ReactNode;
  /** Undefined if it is over. */
  ending: Ending | undefined;
}

export function AccessRow({ head, children, ending }: Props) {
  const { mayChange } = useEnvironment();
  const [isAsked, setAsked] = useState(false);
  return (
    <li className={rowsStyles.row}>
      <div className={rowsStyles.main}>
        <p>{head}</p>
        <p className={rowsStyles.note}>{children}</p>
      </div>
      {ending && mayChange && (
        <Button kind="quiet" onClick={() => setAsked(true)}>
          End<span className={textStyles.visuallyHidden}> {ending.what}</span>
        </Button>
      )}
      {ending && isAsked && (
        <ConfirmDialog
          title={ending.title}
          submit="End it"
          cancel="Keep it"
          onClose={() => setAsked(false)}
          onConfirm={async () => {
            await ending.end();
            announce(ending.done);
          }}
        >
          <p>{ending.text}</p>
        </ConfirmDialog>
      )}
    </li>
  );
}
