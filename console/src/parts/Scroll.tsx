/** What may be too large for its place: it scrolls by itself, by keyboard as well. */
import type { ReactNode } from 'react';

export function Scroll({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: no element says "scrolls".
    // biome-ignore lint/a11y/noNoninteractiveTabindex: without it no keyboard could scroll it.
    <div className="scroll" tabIndex={0} role="group" aria-label={label}>
      {children}
    </div>
  );
}
