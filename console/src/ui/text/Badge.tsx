import type { ReactNode } from 'react';
import styles from './Badge.module.css';
import { classes } from './classes.ts';

export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'accent';

export function Badge({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={classes(styles.badge, tone !== 'calm' && styles[tone])}>{children}</span>;
}

/** Several badges in a row. */
export function Badges({ children }: { children: ReactNode }) {
  return <span className={styles.badges}>{children}</span>;
}
