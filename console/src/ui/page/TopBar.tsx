/** The bar at the top of every page, and the link that lets keyboards skip it. */
import type { ReactNode } from 'react';
import { BellIcon } from '../text/icons.tsx';
import styles from './TopBar.module.css';

export function TopBar({ children }: { children: ReactNode }) {
  return <header className={styles.bar}>{children}</header>;
}

export function SkipLink() {
  return (
    <a className={styles.skip} href="#content">
      Skip to the content
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
