/** A choice that the browser keeps. Without storage it holds until the page is closed. */

/** Node, which runs the unit tests, warns about its own storage. */
const isNode = typeof document === 'undefined';

export function readChoice(name: string): string | null {
  if (isNode) return null;
  try {
    return localStorage.getItem(`bellhop.${name}`);
  } catch {
    return null;
  }
}

/** `null` removes it. */
export function keepChoice(name: string, value: string | null): void {
  if (isNode) return;
  try {
    if (value === null) localStorage.removeItem(`bellhop.${name}`);
    else localStorage.setItem(`bellhop.${name}`, value);
  } catch {
    // Private windows may have no storage.
  }
}
