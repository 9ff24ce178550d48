/** The pages of docs/security say what is in the repository: files, tests, and every requirement once. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '..');
const PAGES = ['docs/security/README.md', 'docs/security/asvs.md'];
const asvs = readFileSync(join(root, 'docs/security/asvs.md'), 'utf8');

/** The numbers of levels 1 and 2 in ASVS 5.0.0, by section. */
const REQUIREMENTS = `
  1.1 1-2; 1.2 1-9; 1.3 1-11; 1.4 1-3; 1.5 1-2; 2.1 1-3; 2.2 1-3; 2.3 1-4; 2.4 1-1;
  3.2 1-2; 3.3 1-4; 3.4 1-6; 3.5 1-5; 3.7 1-2; 4.1 1-3; 4.2 1-1; 4.3 1-2; 4.4 1-4;
  5.1 1-1; 5.2 1-3; 5.3 1-2; 5.4 1-3; 6.1 1-3; 6.2 1-12; 6.3 1-4; 6.4 1-4; 6.5 1-5; 6.6 1-3; 6.8 1-4;
  7.1 1-3; 7.2 1-4; 7.3 1-2; 7.4 1-5; 7.5 1-2; 7.6 1-2; 8.1 1-2; 8.2 1-3; 8.3 1-1; 8.4 1-1;
  9.1 1-3; 9.2 1-4; 10.1 1-2; 10.2 1-2; 10.3 1-4; 10.4 1-11; 10.5 1-5; 10.6 1-2; 10.7 1-3;
  11.1 1-2; 11.2 1-3; 11.3 1-3; 11.4 1-4; 11.5 1-1; 11.6 1-1; 12.1 1-3; 12.2 1-2; 12.3 1-4;
  13.1 1-1; 13.2 1-5; 13.3 1-2; 13.4 1-5; 14.1 1-2; 14.2 1-4; 14.3 1-3; 15.1 1-3; 15.2 1-3; 15.3 1-7;
  16.1 1-1; 16.2 1-5; 16.3 1-4; 16.4 1-3; 16.5 1-3; 17.1 1-1; 17.2 1-4; 17.3 1-2`
  .split(';')
  .flatMap((section) => {
    const [name, range = ''] = section.trim().split(' ');
    const last = Number(range.split('-')[1]);
    return Array.from({ length: last }, (_, i) => `${name}.${i + 1}`);
  });

interface Row {
  number: string;
  status: string;
  evidence: string;
}

const rows: Row[] = asvs
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .filter(([, number = '']) => /^\d+\.\d+\.\d+$/.test(number) || /^\d+\.\d+\.\d+, /.test(number))
  .map(([, number = '', , status = '', evidence = '']) => ({ number, status, evidence }));

test('asvs.md has every requirement of levels 1 and 2 once, and no other', () => {
  const numbers = rows.flatMap(({ number }) => number.split(', '));
  expect(numbers.toSorted()).toEqual(REQUIREMENTS.toSorted());
});

test('asvs.md counts what it lists, and gives evidence for each', () => {
  const applicable = rows.filter(({ evidence }) => evidence !== '');
  for (const status of ['met', 'partly', 'not met', 'operator']) {
    const listed = applicable.filter((row) => row.status === status).length;
    expect(asvs).toMatch(new RegExp(`^\\| ${status} \\|.*\\| ${listed} \\|$`, 'm'));
  }
  const words = ['met', 'partly', 'not met', 'operator'];
  expect(applicable.filter(({ status }) => !words.includes(status))).toEqual([]);
  const unproven = applicable.filter(
    ({ status, evidence }) => status === 'met' && !evidence.includes(']('),
  );
  expect(unproven).toEqual([]);
});

/** A link to a file of ours, and the names of tests that are quoted right after it. */
const LINK = /\[[^\]]+\]\(([^)#:]+)(?:#[^)]*)?\)((?:,? "[^"]+")*)/g;

describe.each(PAGES)('%s', (page) => {
  const links = [...readFileSync(join(root, page), 'utf8').matchAll(LINK)].map(
    ([, target = '', quoted = '']) => ({
      file: join(root, dirname(page), target),
      names: [...quoted.matchAll(/"([^"]+)"/g)].map(([, name]) => name as string),
    }),
  );

  test('every file that it links to exists', () => {
    expect(links.length).toBeGreaterThan(50);
    expect(links.filter(({ file }) => !existsSync(file))).toEqual([]);
  });

  test('every test that it quotes is in the file before the quote', () => {
    const quoting = links.filter(({ names }) => names.length > 0);
    expect(quoting.length).toBeGreaterThan(20);
    const missing = quoting.flatMap(({ file, names }) => {
      const text = readFileSync(file, 'utf8');
      return names.filter((name) => !isTestIn(text, name)).map((name) => `${file}: ${name}`);
    });
    expect(missing).toEqual([]);
  });
});

/** As a quoted string, which is how a test or a group of tests is named. */
function isTestIn(text: string, name: string): boolean {
  return [`'${name}'`, `"${name}"`, `\`${name}\``].some((quoted) => text.includes(quoted));
}

describe('what the pages say about our code', () => {
  const sources = ['server/src', 'partner/src', 'rules/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
      .map((file) => join(folder, file)),
  );
  const holding = (pattern: RegExp) =>
    sources.filter((file) => pattern.test(readFileSync(join(root, file), 'utf8')));

  test('the server starts no program but the check of its own databases', () => {
    expect(sources.length).toBeGreaterThan(200);
    expect(holding(/child_process/)).toEqual(['server/src/store/sqlite/damage-check.ts']);
  });

  test('no regular expression is built from a variable', () => {
    expect(holding(/\bRegExp\(/)).toEqual([]);
  });

  test('the server evaluates no text as code', () => {
    expect(holding(/\beval\(|\bFunction\(|node:vm/)).toEqual([]);
  });
});
