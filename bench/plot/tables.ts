/** Tables and figures in the pages that the measuring commands write. */
import { cpus } from 'node:os';

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [
    line(heads),
    line(heads.map((_, n) => (n === 0 ? '---' : '---:'))),
    ...rows.map(line),
  ].join('\n');
}

/** Three significant digits, with thousands separated. */
export function figure(value: number | null): string {
  if (value === null || !Number.isFinite(value)) return '–';
  if (Math.abs(value) >= 1_000) return Math.round(value).toLocaleString('en');
  return String(Number(value.toPrecision(3)));
}

export function machine(): string {
  return `Machine: ${cpus().length} cores of ${cpus()[0]?.model}, Node ${process.version}.`;
}
