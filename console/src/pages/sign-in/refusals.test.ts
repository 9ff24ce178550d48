import { expect, test } from 'vitest';
import { refusals as codes } from '../../../../server/src/office/oidc/refusal.ts';
import { refusals } from './refusals.ts';

test('the sign-in page has a sentence for every refusal of the server, and no other', () => {
  expect(Object.keys(refusals).sort()).toEqual([...codes].sort());
  for (const text of Object.values(refusals)) expect(text).toMatch(/^[A-Z].*\.$/);
});
