/** The bar at the top of every page, and the link that lets keyboards skip it. */
import type { ReactNode } from 'react';
import { words } from '../../words/words.ts';
import { classes } from '../text/classes.ts';
import { BellIcon } from '../text/icons.tsx';
import styles from './TopBar.module.css';

interface Props {
  children: ReactNode;
  /** On a phone, something in it gives way; otherwise it has two lines there. */
  isOneLine?: boolean;
}

export function TopBar({ children, isOneLine }: Props) {
  return <header className={classes(styles.bar, isOneLine && styles.oneLine)}>{children}</header>;
}

export function SkipLink() {
  return (
    <a className={styles.skip} href="#content">
      {words.page.skip}
    </a>
  );
}

export function Brand() {
  return (
    <span className={styles.brand}>
      <BellIcon /> Bellhop
    </span>
  );
}
