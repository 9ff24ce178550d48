import type { ReactNode } from 'react';
import styles from './Stack.module.css';

/** Parts one below the other, with room between them. */
export function Stack({ children }: { children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}
