import type { ReactNode } from 'react';

/** Nothing here: says so, and what to do about it. */
export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      {children && <div className="empty-advice">{children}</div>}
    </div>
  );
}
