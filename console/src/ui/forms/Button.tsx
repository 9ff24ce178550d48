import type { ButtonHTMLAttributes } from 'react';
import { classes } from '../text/classes.ts';
import styles from './Button.module.css';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  busy?: boolean;
};

export function Button({ kind = 'plain', busy = false, className, disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={classes(styles.button, kind !== 'plain' && styles[kind], className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    />
  );
}
