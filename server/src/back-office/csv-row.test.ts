import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow } from './csv-row.ts';

/** A strict reader of one record of RFC 4180. */
function readRow(text: string): string[] {
  expect(text.endsWith('\r\n')).toBe(true);
  const cells: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n$)/gy;
  for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
    cells.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] !== ',') return cells;
  }
  throw new Error(`not a row: ${JSON.stringify(text)}`);
}

test('a row is quoted where it must be', () => {
  expect(csvRow(['a', 'b c', null, undefined, 7, -1, true])).toBe('a,b c,,,7,-1,true\r\n');
  expect(csvRow(['a,b', 'say "hi"', 'two\nlines'])).toBe('"a,b","say ""hi""","two\nlines"\r\n');
  expect(csvRow([['10.0.0.0/8'], { a: 1 }])).toBe('"[""10.0.0.0/8""]","{""a"":1}"\r\n');
});

test('a text that looks like a formula gets an apostrophe, a number does not', () => {
  for (const start of ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠']) {
    const [cell] = readRow(csvRow([`${start}cmd|' /C calc'!A0`]));
    expect(cell).toBe(`'${start}cmd|' /C calc'!A0`);
  }
  expect(csvRow([-5, '-5', 'a=b'])).toBe("-5,'-5,a=b\r\n");
});

test('every text can be read back, except for the apostrophe', () => {
  const text = fc.string({ unit: 'grapheme' });
  const special = fc.constantFrom(',', '"', '\r\n', '\n', "'", '=');
  const mixed = fc.array(fc.oneof(text, special)).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.array(mixed, { minLength: 1 }), (row) => {
      const read = readRow(csvRow(row));
      expect(read).toHaveLength(row.length);
      for (const [at, cell] of read.entries()) {
        expect([row[at], `'${row[at]}`]).toContain(cell);
        expect(cell).not.toMatch(/^[=+\-@\t\r\n]/);
      }
    }),
  );
});
