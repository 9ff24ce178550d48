import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvRow } from './csv.ts';

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

const SIGNS = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

test('a text that looks like a formula gets an apostrophe, a number does not', () => {
  for (const start of [...SIGNS, '\t', '\r', '\n', '"=', ' =', '""\u00a0+']) {
    const [cell] = readRow(csvRow([`${start}cmd|' /C calc'!A0`]));
    expect(cell).toBe(`'${start}cmd|' /C calc'!A0`);
  }
  expect(csvRow([-5, '-5', 'a=b'])).toBe("-5,'-5,a=b\r\n");
});

test('so does a formula after what separates cells or rows elsewhere', () => {
  for (const sign of SIGNS) {
    for (const separator of [';', '\t', '\r', '\n', '\r\n']) {
      for (const between of ['', '"', ' ', '" "']) {
        const [cell] = readRow(csvRow([`a${separator}${between}${sign}1+1`]));
        expect(cell).toBe(`a${separator}'${between}${sign}1+1`);
      }
    }
  }
  expect(csvRow(['\t=1', '\n\n-1', { note: 'a;=1' }])).toBe(
    `"'\t'=1","'\n\n'-1","{""note"":""a;'=1""}"\r\n`,
  );
  expect(csvRow(['a; b', 'x,=1', 'say "hi"'])).toBe('"a; b","x,=1","say ""hi"""\r\n');
});

const text = fc.string({ unit: 'grapheme' });
const special = fc.constantFrom(',', ';', '\t', '"', '\r\n', '\n', "'", ' ', ...SIGNS);
const hostile = fc.array(fc.oneof(text, special)).map((parts) => parts.join(''));
const row = fc.array(hostile, { minLength: 1 });

test('every text can be read back, except for the apostrophes', () => {
  fc.assert(
    fc.property(row, (values) => {
      const read = readRow(csvRow(values)).map((cell) => cell.replaceAll("'", ''));
      expect(read).toEqual(values.map((value) => value.replaceAll("'", '')));
    }),
  );
});

test('no cell of any reader begins a formula, whatever it separates by and whether it knows quotes', () => {
  const formula = /^["\s]*[=+\-@＝＋－＠]/;
  fc.assert(
    fc.property(fc.array(row), (rows) => {
      for (const values of rows) {
        for (const cell of readRow(csvRow(values))) expect(cell).not.toMatch(formula);
      }
      const file = rows.map(csvRow).join('');
      for (const cell of file.split(/[;\t\r\n]/)) expect(cell).not.toMatch(formula);
    }),
  );
});
