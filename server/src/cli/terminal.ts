/** What commands write for people: tables, colours where there is a terminal, one line of progress. */
import { styleText } from 'node:util';

type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** Node looks at the stream and at NO_COLOR by itself. */
export function paint(colour: Colour, text: string): string {
  return styleText(colour, text, { stream: process.stdout });
}

/**
 * What others sent may hold anything; a terminal would obey its control characters, and the marks
 * that turn the direction of writing could make a refused webhook read like a verified one.
 */
export function printable(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}

/** A cell, and perhaps its colour, which must not count as width. */
export type Cell = string | { text: string; colour: Colour };

export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const lines = [head.map((text): Cell => ({ text, colour: 'bold' })), ...rows];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((cells) => textOf(cells[column] ?? '').length)),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => {
          const isLast = column === cells.length - 1;
          const padded = isLast ? textOf(cell) : textOf(cell).padEnd(widths[column] ?? 0);
          return typeof cell === 'string' ? padded : paint(cell.colour, padded);
        })
        .join('  '),
    )
    .join('\n');
}

function textOf(cell: Cell): string {
  return typeof cell === 'string' ? cell : cell.text;
}

export interface Progress {
  /** Shows this until the next line, on a terminal; elsewhere nothing. */
  show(text: string): void;
  clear(): void;
}

export function progress(stream: NodeJS.WriteStream = process.stderr): Progress {
  let shown = false;
  return {
    show(text) {
      if (!stream.isTTY) return;
      shown = true;
      const width = Math.max((stream.columns || 80) - 1, 20);
      stream.write(`\r\u001b[2K${text.slice(0, width)}`);
    },
    clear() {
      if (shown) stream.write('\r\u001b[2K');
      shown = false;
    },
  };
}

export function clockTime(date: Date): string {
  return date.toTimeString().slice(0, 8);
}

/** "a minute", "2 hours": a span as people say it, in the largest unit that comes out whole. */
export function span(seconds: number): string {
  const units = [
    ['day', 86_400],
    ['hour', 3_600],
    ['minute', 60],
    ['second', 1],
  ] as const;
  const [unit, size] = units.find(([, size]) => seconds % size === 0) ?? units[3];
  const count = seconds / size;
  if (count === 1) return unit === 'hour' ? 'an hour' : `a ${unit}`;
  return `${count.toLocaleString('en')} ${unit}s`;
}

/** "11 h 59 min": what is left of a wait, no finer than it matters. */
export function countdown(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
