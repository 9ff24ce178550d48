import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { linesDocument, linesFor } from './lines.ts';

const DOCUMENT = new URL('../../../docs/check-receiver.md', import.meta.url);
const lines = linesFor('both');

test('docs/check-receiver.md has exactly the lines of the code', () => {
  const [, section] = readFileSync(DOCUMENT, 'utf8').split(
    '<!-- bellhop check-receiver --list --markdown -->\n\n',
  );
  expect(section).toBe(linesDocument(lines));
});

test('every line has a unique name and whole sentences', () => {
  expect(new Set(lines.map(({ name }) => name)).size).toBe(lines.length);
  for (const { name, title, sent, expected, why, fix } of lines) {
    expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
    expect(title).toMatch(/^[a-z].*[^.]$/);
    for (const text of [sent, expected, why, fix]) expect(text).toMatch(/^[A-Z].*\.$/);
  }
});
