/**
 * A row of CSV, as RFC 4180 has it, in which no spreadsheet finds a formula. Where the list separator is a semicolon,
 * as in most of Europe, a spreadsheet splits our rows at other places: `a,"b;=1+1"` is `a,"b` and `=1+1"` there,
 * because a quote counts only at the beginning of a cell. It splits at the line breaks of such a cell, too.
 */

/**
 * Where a cell begins for some spreadsheet, and a formula with it: full-width signs count, and quotes and blanks in
 * front may be dropped. A tab or a line break at the beginning may be dropped as well.
 */
const FORMULA_AHEAD =
  /(?<![^;\t\r\n])(?=(?:"|[^\S\t\r\n])*[=+\-@\uff1d\uff0b\uff0d\uff20])|^(?=[\t\r\n])/g;

export function csvRow(values: readonly unknown[]): string {
  return `${values.map(cell).join(',')}\r\n`;
}

function cell(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // An apostrophe makes the cell text. It is the usual remedy, and shows in what reads the file.
  const harmless = text.replace(FORMULA_AHEAD, "'");
  return /[",;\t\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
