/** How progress and results look in a terminal. */
import { type Figure, isMet, type Line } from './bench.ts';

export function headed(name: string): string {
  return `\n${name}`;
}

/** `ok     0.91 (at least 0.85)  overview/, unlimited key: Bellhop 27,312 ÷ bare 30,011 calls/s; rounds 0.88 to 0.93`. */
export function written(line: Line): string {
  const { title, unit, measured, against, result, bar } = line;
  const verdict = bar ? (isMet(line) ? 'ok' : 'below') : inRace(line);
  const shown = against ? result.toFixed(2) : number(result);
  const figures = [measured, ...(against ? [against] : [])]
    .map(({ name, median }) => `${name} ${number(median)}`)
    .join(' ÷ ');
  const claim = `  ${verdict.padEnd(6)}  ${shown} ${barOf(bar).padEnd(15)}  ${title}: ${figures} ${unit}${spreadOf(line)}`;
  return [claim, ...detailsOf(measured), ...(against ? detailsOf(against) : [])].join('\n');
}

function inRace({ isRace, result }: Line): string {
  return isRace ? (result < 1 ? 'behind' : 'ahead') : '';
}

/** The spread of the ratios, or of the figure if there is only one. */
function spreadOf({ ratios, measured, against }: Line): string {
  const rounds = against ? (ratios ?? []) : measured.rounds;
  if (rounds.length < 2) return '';
  const shown = against ? (value: number) => value.toFixed(2) : number;
  return `; rounds ${shown(Math.min(...rounds))} to ${shown(Math.max(...rounds))}`;
}

function detailsOf({ name, details = {}, settings }: Figure): string[] {
  const shown = Object.entries(details).map(([about, value]) => `${about} ${number(value)}`);
  if (settings) shown.push(settings);
  return shown.length > 0 ? [`${' '.repeat(9)}${name}: ${shown.join(', ')}`] : [];
}

function barOf(bar: Line['bar']): string {
  if (!bar) return '(no bar)';
  return 'atLeast' in bar ? `(at least ${number(bar.atLeast)})` : `(at most ${number(bar.atMost)})`;
}

function number(value: number): string {
  const digits = value >= 100 ? 0 : 2;
  return value.toLocaleString('en', { maximumFractionDigits: digits });
}

/** One line that is overwritten; nothing without a terminal. */
export function showProgress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r\x1b[K  … ${text}`);
}

export function clearProgress(): void {
  if (process.stdout.isTTY) process.stdout.write('\r\x1b[K');
}
