import { expect, test } from 'vitest';
import { documentedErrors } from '../../testing/documented-errors.ts';
import { refusals } from './refusal.ts';

test('the partner guide lists every refusal of the partner API, and none that does not exist', () => {
  const documented = documentedErrors('Partner API').map(({ status, code }) => `${status} ${code}`);
  const existing = Object.values(refusals).map(({ status, code }) => `${status} ${code}`);
  expect(documented.toSorted()).toEqual(existing.toSorted());
});

test('every refusal says what it means and what to do, in sentences', () => {
  for (const { meaning, advice } of Object.values(refusals)) {
    expect(meaning).toMatch(/^[A-Z0-9].*\.$/);
    expect(advice).toMatch(/^[A-Z0-9].*\.$/);
  }
});
