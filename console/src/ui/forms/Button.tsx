import type { ButtonHTMLAttributes } from 'react';
import { classes } from '../text/classes.ts';
import styles from './Button.module.css';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  busy?: boolean;
  /** The name of the action where the page around the button does not tell what it is about: the search offers it. */
  command?: string | undefined;
};

export function Button(props: Props) {
  const { kind = 'plain', busy = false, command, className, disabled, ...rest } = props;
  return (
    <button
      type="button"
      data-command={command}
      {...rest}
      className={classes(styles.button, kind !== 'plain' && styles[kind], className)}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    />
  );
}
