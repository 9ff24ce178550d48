import type { ReactNode } from 'react';
import styles from './Empty.module.css';

/** Says that a list is empty, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className={styles.empty}>
      <p className={styles.title}>{title}</p>
      {children && <div className={styles.advice}>{children}</div>}
    </div>
  );
}
