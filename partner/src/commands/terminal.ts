/** What commands print for people: tables, colours on a terminal, one line of progress. */
import { WriteStream } from 'node:tty';
import { inspect } from 'node:util';
import { printable, printableJson } from '../printable.ts';

export type Colour = 'green' | 'red' | 'yellow' | 'cyan' | 'dim' | 'bold';

/** As `styleText` of node:util does, which Node has only since 20.12. */
export function paint(colour: Colour, text: string): string {
  if (!hasColours()) return text;
  const [begin, end] = inspect.colors[colour] ?? [];
  return `\u001b[${begin}m${text}\u001b[${end}m`;
}

/** Node knows the terminals, NO_COLOR and FORCE_COLOR. */
function hasColours(): boolean {
  const mayHave = process.stdout.isTTY || process.env.FORCE_COLOR !== undefined;
  return mayHave && WriteStream.prototype.getColorDepth() > 2;
}

/** Long enough for a UUID with a prefix. An id may have 256 characters, which would flood the terminal. */
const LONGEST_ID = 48;

/** An id from outside. On a terminal a long one is cut in the middle; elsewhere it stays complete. */
export function shownId(id: string, isTerminal: boolean = process.stdout.isTTY): string {
  const text = printable(id);
  const characters = Array.from(text);
  if (!isTerminal || characters.length <= LONGEST_ID) return text;
  const half = (LONGEST_ID - 1) / 2;
  const start = characters.slice(0, Math.ceil(half));
  return [...start, '…', ...characters.slice(-Math.floor(half))].join('');
}

/**
 * What `--json` prints. On a terminal, it obeys nothing that a partner wrote; a program that reads the output gets the
 * texts as they are.
 */
export function jsonText(
  value: unknown,
  indent?: number,
  isTerminal: boolean = process.stdout.isTTY,
): string {
  const json = JSON.stringify(value, null, indent);
  return isTerminal ? printableJson(json) : json;
}

/** A cell. Its colour, if it has one, does not count towards the width. */
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
  /** On a terminal, shows this text until it is replaced or cleared. Elsewhere does nothing. */
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
