import { expect, test } from 'vitest';
import { actionInWords, differences } from './audit-words.ts';

test('shows only fields that differ, and all fields of a new or deleted record', () => {
  expect(differences({ name: 'A', paused: false }, { name: 'A', paused: true })).toEqual([
    { field: 'paused', before: 'false', after: 'true' },
  ]);
  expect(differences(null, { name: 'A', ips: ['::1'] })).toEqual([
    { field: 'name', before: undefined, after: 'A' },
    { field: 'ips', before: undefined, after: '["::1"]' },
  ]);
  expect(differences({ name: 'A' }, null)).toEqual([
    { field: 'name', before: 'A', after: undefined },
  ]);
});

test('shows an unknown action by its name', () => {
  expect(actionInWords('key.rotate')).toBe('rotated the key');
  expect(actionInWords('key.polish')).toBe('key.polish');
});
