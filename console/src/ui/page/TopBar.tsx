/** The bar at the top of every page, and the link that lets keyboards skip it. */
import type { MouseEvent, ReactNode } from 'react';
import { words } from '../../words/words.ts';
import { firstRow } from '../lists/rows.ts';
import { BellIcon } from '../text/icons.tsx';
import styles from './TopBar.module.css';

export function TopBar({ children }: { children: ReactNode }) {
  return <header className={styles.bar}>{children}</header>;
}

/** To the first row of a page that is a list; otherwise to the content. */
export function SkipLink() {
  function skip(event: MouseEvent) {
    const row = firstRow();
    if (!row) return;
    event.preventDefault();
    row.focus();
  }
  return (
    // biome-ignore lint/a11y/useValidAnchor: it leads to a place of the page, of which the row is a closer one.
    <a className={styles.skip} href="#content" onClick={skip}>
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
