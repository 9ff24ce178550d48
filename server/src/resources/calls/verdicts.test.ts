import { expect, test } from 'vitest';
import { readText } from '../../../testing/deploy-files.ts';
import { verdicts } from './verdicts.ts';

test('docs/refused-calls.md says of every verdict when it is given, and of no others', () => {
  const [, part = ''] = readText('docs/refused-calls.md').split('\n## The verdict\n');
  const [section = ''] = part.split('\n## ');
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  expect(rows).toEqual(
    Object.entries(verdicts).map(([code, { about }]) => `| \`${code}\` | ${about} |`),
  );
});

test('every verdict has a sentence, whatever is known', () => {
  for (const [code, { sentence }] of Object.entries(verdicts)) {
    // The sentence of this one is what the code means.
    if (code !== 'no_more_known') expect(sentence({}), code).toMatch(/^[A-Z].*\.$/);
  }
});
