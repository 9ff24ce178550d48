/** What the search box offers, and what of it fits a text. */
export interface Entry {
  /** Unique in the list; it stays the same while more is found. */
  id: string;
  /** What it is, where the heading does not say. */
  kind?: string;
  title: string;
  detail?: string;
  /** The shortcut that does the same. */
  keys?: readonly string[];
  open(): void;
}

export interface Group {
  title: string;
  entries: readonly Entry[];
}

/** Each typed word begins one of these. */
export function fits(text: string, ...of: readonly string[]): boolean {
  const words = wordsOf(of.join(' '));
  return wordsOf(text).every((typed) => words.some((word) => word.startsWith(typed)));
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
