import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvImportLines } from './csv-import.ts';
import { csvRows } from './csv-rows.ts';

async function* inParts(text: string, size: number) {
  for (let start = 0; start < text.length; start += size) yield text.slice(start, start + size);
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const one of items) found.push(one);
  return found;
}

async function cellsIn(text: string, size = text.length || 1): Promise<string[][]> {
  const rows = await all(csvRows(inParts(text, size)));
  return rows.map(({ cells }) => cells);
}

async function linesIn(text: string) {
  const lines = await all(csvImportLines(inParts(text, 7)));
  return lines.map(({ csvLine, json }) => [csvLine, JSON.parse(json)]);
}

test('cells may be quoted, and come back as they were, wherever the file is cut into parts', async () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', 'é') });
  const rows = fc.array(fc.array(cell, { minLength: 1, maxLength: 4 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (table, size) => {
      const quoted = table.map((row) => row.map((one) => `"${one.replaceAll('"', '""')}"`));
      const text = ['"x","y"', ...quoted.map((row) => row.join(','))].join('\r\n');
      const expected = table
        .map((row) => row.map((one) => one.trim()))
        .filter((row) => row.some((one) => one !== ''));
      expect(await cellsIn(text, size)).toEqual([['x', 'y'], ...expected]);
    }),
  );
});

test('a byte order mark, semicolons and a missing last line break are accepted', async () => {
  expect(await cellsIn('\ufeffa;b\n1;2,5\n\n3;')).toEqual([
    ['a', 'b'],
    ['1', '2,5'],
    ['3', ''],
  ]);
});

test('a quote that is never closed is named with its line', async () => {
  await expect(cellsIn('a,b\n1,2\n3,"x\ny\n')).rejects.toThrow(/^Line 3 of the CSV file: a quote/);
  await expect(cellsIn('a\n"x"y\n')).rejects.toThrow(/text follows a closing quote/);
  await expect(cellsIn(`a\n"${'x'.repeat(140_000)}`)).rejects.toThrow(/longer than 128 KiB/);
});

test('a row becomes a key, and the first row of a partner the partner too', async () => {
  const text = [
    'Partner,key_id,api_key,allowed_ips,disabled,certified_at',
    'Blue,1,secret-one,"10.0.0.0/8 ::1",yes,2020-01-01T00:00:00Z',
    'Blue,2,secret-two,,,2020-01-01T00:00:00Z',
  ].join('\n');
  const partner = {
    kind: 'partner',
    ref: 'Blue',
    name: 'Blue',
    certified_at: '2020-01-01T00:00:00Z',
  };
  const key = { kind: 'key', partner_ref: 'Blue' };
  expect(await linesIn(text)).toEqual([
    [2, partner],
    [
      2,
      {
        ...key,
        key_id: '1',
        api_key: 'secret-one',
        allowed_ips: ['10.0.0.0/8', '::1'],
        disabled: true,
      },
    ],
    [3, { ...key, key_id: '2', api_key: 'secret-two' }],
  ]);
});

test.each([
  ['', /is empty/],
  ['partner,key_id\n', /no column "api_key"/],
  ['partner,key_id,api_key,colour\n', /a column "colour"/],
  ['partner,key_id,api_key,label,label\n', /two columns "label"/],
  ['partner,key_id,api_key\na,b,c,d\n', /^Line 2 .* has 4 cells/],
  ['partner,key_id,api_key,suspended\na,1,b,yes\na,2,c,no\n', /^Line 3 .* the partner "a"/],
])('%j is refused', async (text, words) => {
  await expect(linesIn(text)).rejects.toThrow(words);
});
