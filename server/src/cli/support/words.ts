/** How the commands for support show values to people. */
import { when } from '../moments.ts';
import { printable } from '../terminal.ts';

/**
 * All fields of a record, one per line, so that a new field is shown without a change here. What is empty is left out,
 * and so are lists of other records.
 */
export function facts(record: object): string {
  const shown = Object.entries(record).flatMap(([name, value]) => {
    const text = inWords(value);
    return text === '' ? [] : [[name.replaceAll('_', ' '), text] as const];
  });
  return aligned(shown);
}

export function aligned(shown: readonly (readonly [name: string, text: string])[]): string {
  const names = shown.map(([name]) => printable(name));
  const width = Math.max(...names.map((name) => name.length));
  return shown.map(([, text], at) => `${names[at]?.padEnd(width)}  ${printable(text)}`).join('\n');
}

const TIME = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/;

export function inWords(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'number') return value.toLocaleString('en');
  if (typeof value === 'string') return TIME.test(value) ? when(value) : value;
  if (!Array.isArray(value)) return Object.keys(value).join(', ');
  return value.every((one) => typeof one === 'string') ? value.map(inWords).join(', ') : '';
}

export function plural(count: number, one: string, many: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}
