import type { ReactNode } from 'react';
import { WarningIcon } from './icons.tsx';

export function Note({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'warn' | 'bad';
  children: ReactNode;
}) {
  return (
    <div className={`note note-${kind}`}>
      {kind !== 'plain' && <WarningIcon />}
      <div>{children}</div>
    </div>
  );
}
