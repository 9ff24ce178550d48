/** Findings about the lines of a file, for people. The same finding about many lines is told once. */

/** Of the lines with the same finding, so many ranges are named; of the others, the number. */
const NAMED_RANGES = 5;

export interface LineFinding {
  line: number;
  text: string;
}

/** In the order of the lines that they are about first. */
export function findingsByLine(findings: readonly LineFinding[]): string[] {
  const linesOf = new Map<string, Set<number>>();
  for (const { line, text } of findings) {
    const lines = linesOf.get(text);
    if (lines) lines.add(line);
    else linesOf.set(text, new Set([line]));
  }
  return Array.from(linesOf, ([text, lines]) => `${inWords([...lines])}: ${text}`);
}

function inWords(lines: number[]): string {
  if (lines.length === 1) return `Line ${lines[0]}`;
  const ranges = rangesOf(lines);
  const named = ranges.slice(0, NAMED_RANGES);
  const more = ranges.slice(NAMED_RANGES).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const words = named.map(({ from, to }) => (from === to ? `${from}` : `${from} to ${to}`));
  if (more > 0) words.push(`${more} more`);
  return `Lines ${words.slice(0, -1).join(', ')}${words.length > 1 ? ' and ' : ''}${words.at(-1)}`;
}

function rangesOf(lines: number[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const line of lines.sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last.to === line - 1) last.to = line;
    else ranges.push({ from: line, to: line });
  }
  return ranges;
}
