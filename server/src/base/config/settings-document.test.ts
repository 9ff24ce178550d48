import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chartSettings, settingsDocument } from './settings-document.ts';

test('docs/settings.md matches the code (if not: npm run docs)', () => {
  const file = new URL('../../../../docs/settings.md', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(settingsDocument());
});

test('the chart has the settings of the code (if not: npm run docs)', () => {
  const file = new URL('../../../../deploy/helm/bellhop/settings.json', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(chartSettings());
});
