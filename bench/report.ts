/** How progress and results look in a terminal. */
import { isMet, type Line } from './bench.ts';

export function headed(name: string): string {
  return `\n${name}`;
}

/** `ok     0.91 (at least 0.85)  overview/, unlimited key: Bellhop 27,312 ÷ bare 30,011 calls/s; rounds 0.88 to 0.93`. */
export function written(line: Line): string {
  const { title, unit, measured, against, result, bar } = line;
  const verdict = bar ? (isMet(line) ? 'ok' : 'below') : '';
  const shown = against ? result.toFixed(2) : number(result);
  const figures = [measured, ...(against ? [against] : [])]
    .map(({ name, median }) => `${name} ${number(median)}`)
    .join(' ÷ ');
  return `  ${verdict.padEnd(5)}  ${shown} ${barOf(bar).padEnd(15)}  ${title}: ${figures} ${unit}${spreadOf(line)}`;
}

function spreadOf({ ratios = [] }: Line): string {
  if (ratios.length < 2) return '';
  return `; rounds ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`;
}

function barOf(bar: Line['bar']): string {
  if (!bar) return '(no bar)';
  return 'atLeast' in bar ? `(at least ${bar.atLeast})` : `(at most ${bar.atMost})`;
}

function number(value: number): string {
  const digits = value >= 100 ? 0 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** One line that is written over; where nobody is watching, nothing. */
export function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K  … ${text}`);
}

export function clearProgress(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
}
