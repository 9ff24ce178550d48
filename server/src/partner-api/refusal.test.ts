import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { refusals } from './refusal.ts';

test('docs/errors.md lists every refusal, and none that does not exist', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  const documented = [...page.matchAll(/^\| (\d{3}) \| `(\w+)` \|/gm)].map(
    ([, status, code]) => `${status} ${code}`,
  );
  const existing = Object.values(refusals).map(({ status, code }) => `${status} ${code}`);
  expect(documented.toSorted()).toEqual(existing.toSorted());
});

test('every refusal says what it means and what to do, in sentences', () => {
  for (const { meaning, advice } of Object.values(refusals)) {
    expect(meaning).toMatch(/^[A-Z0-9].*\.$/);
    expect(advice).toMatch(/^[A-Z0-9].*\.$/);
  }
});
