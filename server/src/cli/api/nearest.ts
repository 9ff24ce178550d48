const MOST = 3;

/** The words that somebody may have meant: at most three, and only if they differ in a third of their letters or less. */
export function nearest(typed: string, words: Iterable<string>): string[] {
  const others = new Set(words);
  others.delete(typed);
  const scored = Array.from(others, (word) => ({ word, differs: distance(typed, word) }));
  const least = Math.min(...scored.map(({ differs }) => differs));
  return scored
    .filter(({ word, differs }) => differs === least && differs * 3 <= Math.max(word.length, 3))
    .map(({ word }) => word)
    .slice(0, MOST);
}

/** How many letters to add, leave out or replace. */
function distance(one: string, other: string): number {
  let above = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [row, letter] of Array.from(one).entries()) {
    const line = [row + 1];
    for (let at = 1; at <= other.length; at++) {
      const replaced = (above[at - 1] ?? 0) + (letter === other[at - 1] ? 0 : 1);
      line.push(Math.min(replaced, (above[at] ?? 0) + 1, (line[at - 1] ?? 0) + 1));
    }
    above = line;
  }
  return above[other.length] ?? 0;
}
