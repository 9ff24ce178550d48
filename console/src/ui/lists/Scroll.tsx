/** Content that may be too large: it scrolls on its own, with the keyboard too. */
import type { ReactNode } from 'react';
import styles from './Scroll.module.css';

export function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element says "scrolls".
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it no keyboard could scroll it.
    <div className={styles.scroll} tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
