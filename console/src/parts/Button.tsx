import type { ButtonHTMLAttributes } from 'react';

type Props = ButtonHTMLAttributes<HTMLButtonElement> & {
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  busy?: boolean;
};

export function Button({ kind = 'plain', busy = false, className = '', disabled, ...rest }: Props) {
  return (
    <button
      type="button"
      {...rest}
      className={`button button-${kind} ${className}`}
      disabled={disabled || busy}
      aria-busy={busy || undefined}
    />
  );
}
