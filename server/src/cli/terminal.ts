/** What commands print for people: tables, colours on a terminal, one line of progress. */
import { stripVTControlCharacters } from 'node:util';
import { progress } from '@bellhop/partner/command-line';

export {
  type Cell,
  clockTime,
  jsonText,
  type Progress,
  paint,
  progress,
  shownId,
  table,
} from '@bellhop/partner/command-line';
export { printable, printableJson, printableLines } from '@bellhop/partner/printable';

/** The columns that a text of several lines takes, without its colours. */
export function widthOf(text: string): number {
  const lines = stripVTControlCharacters(text).split('\n');
  return Math.max(...lines.map((line) => line.length));
}

/** Text broken at spaces to fit the terminal, each line after `indent`. Elsewhere it stays one line. */
export function wrapped(text: string, indent = '', columns = process.stdout.columns): string {
  if (!columns) return indent + text;
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(' ')) {
    const isFirst = line === indent;
    if (!isFirst && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = indent + word;
    } else {
      line += isFirst ? word : ` ${word}`;
    }
  }
  return [...lines, line].join('\n');
}

/** "a minute", "2 hours": a time span in words, in the largest unit that gives a whole number. */
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

/** "11 h 59 min": the rest of a wait, only as precise as it needs to be. */
export function countdown(seconds: number): string {
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** "12 h", "1 h 12 min 30 s": a time span without the units that are zero. */
export function briefSpan(seconds: number): string {
  const parts = [
    [Math.floor(seconds / 86_400), 'd'],
    [Math.floor(seconds / 3_600) % 24, 'h'],
    [Math.floor(seconds / 60) % 60, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const shown = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}`);
  return shown.join(' ') || '0 s';
}

/** Progress of commands that may run for minutes: on a terminal one line that changes, elsewhere a line every ten seconds. */
const EVERY_MS = 100;
/** Elsewhere, where each report stays. */
const EVERY_LINE_MS = 10_000;

interface ProgressReport {
  /** `what` replaces the name of what is counted. */
  show(done: number, total: number, what?: string): void;
  end(): void;
}

/** `counted` says what is counted, for example "production: keys". */
export function reportProgress(counted: string): ProgressReport {
  const line = progress();
  const everyMs = process.stderr.isTTY ? EVERY_MS : EVERY_LINE_MS;
  let shownAtMs = process.stderr.isTTY ? 0 : performance.now();
  return {
    show(done, total, what = counted) {
      if (performance.now() - shownAtMs < everyMs) return;
      shownAtMs = performance.now();
      const percent = total === 0 ? 100 : Math.floor((done / total) * 100);
      const text = `${what}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')} (${percent} %)`;
      if (process.stderr.isTTY) line.show(text);
      else console.error(text);
    },
    end: () => line.clear(),
  };
}

/** A download, so that a terminal obeys nothing in it. Files and pipes get it as it is. */
export async function* forTerminal(
  chunks: AsyncIterable<Uint8Array>,
  withoutControls: (text: string) => string,
  isTerminal: boolean = process.stdout.isTTY,
): AsyncGenerator<Uint8Array> {
  if (!isTerminal) {
    yield* chunks;
    return;
  }
  const decoder = new TextDecoder();
  for await (const chunk of chunks) {
    yield Buffer.from(withoutControls(decoder.decode(chunk, { stream: true })));
  }
  yield Buffer.from(withoutControls(decoder.decode()));
}
