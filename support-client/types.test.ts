import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generatedFiles } from './types.ts';

test('the generated types are those of the documents in docs/openapi (if not: npm run openapi)', async () => {
  for (const { file, text } of await generatedFiles()) {
    expect(await readFile(file, 'utf8')).toBe(text);
  }
});
