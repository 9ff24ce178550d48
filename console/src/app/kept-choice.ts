/** A choice that the browser keeps. Without storage it holds until the page is closed. */
export function readChoice(name: string): string | null {
  // Node, which runs the unit tests, warns about its own storage.
  if (typeof document === 'undefined') return null;
  try {
    return localStorage.getItem(`bellhop.${name}`);
  } catch {
    return null;
  }
}

/** `null` removes it. */
export function keepChoice(name: string, value: string | null): void {
  try {
    if (value === null) localStorage.removeItem(`bellhop.${name}`);
    else localStorage.setItem(`bellhop.${name}`, value);
  } catch {
    // Private windows may have no storage.
  }
}
