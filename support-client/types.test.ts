import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { generateTypes, TYPES } from './types.ts';

test('the generated types are those of docs/openapi/back-office.json (if not: npm run openapi)', async () => {
  expect(await readFile(TYPES, 'utf8')).toBe(await generateTypes());
});
