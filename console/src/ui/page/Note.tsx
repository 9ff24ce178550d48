import type { ReactNode } from 'react';
import { classes } from '../text/classes.ts';
import { WarningIcon } from '../text/icons.tsx';
import styles from './Note.module.css';

export function Note({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'warn' | 'bad';
  children: ReactNode;
}) {
  return (
    <div className={classes(styles.note, kind !== 'plain' && styles[kind])} data-note>
      {kind !== 'plain' && <WarningIcon />}
      <div>{children}</div>
    </div>
  );
}
