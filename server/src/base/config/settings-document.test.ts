import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsDocument } from './settings-document.ts';

test('docs/settings.md matches the code (if not: npm run docs)', () => {
  const file = new URL('../../../../docs/settings.md', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(settingsDocument());
});
