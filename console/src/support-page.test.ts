/** docs/support.md tells people which buttons to press: each has this name in the console. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const page = readFileSync(new URL('../../docs/support.md', import.meta.url), 'utf8');
const folder = new URL('./', import.meta.url);
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((file) => /(?<!\.test)\.tsx?$/.test(file))
  .map((file) => readFileSync(new URL(file, folder), 'utf8'))
  .join('\n');
/** What differs, such as a number, is "…" on the page. */
const texts = `${sources}\n${sources.replaceAll(/\$?\{[^{}]*\}/g, '…')}`;

/** What the page has in italics. A line may end inside a name. */
const names = [...page.replaceAll('\n', ' ').matchAll(/(?<![*\w])\*([^*]+)\*(?!\*)/g)].map(
  ([, name = '']) => name,
);

/** Whole, as a text of its own: in quotes, between tags, or alone on a line. */
function isShown(name: string): boolean {
  const wholes = [
    `'${name}'`,
    `"${name}"`,
    `\`${name}\``,
    `>${name}<`,
    `> ${name}<`,
    `/> ${name}\n`,
  ];
  return (
    wholes.some((whole) => texts.includes(whole)) ||
    texts.split('\n').some((line) => line.trim() === name)
  );
}

test('every name in italics on the page for support is shown by the console', () => {
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !isShown(name))).toEqual([]);
});
