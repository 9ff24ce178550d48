import { expect, test } from 'vitest';
import { actionTitles, differences } from './audit-words.ts';

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

test('names actions in words', () => {
  expect(actionTitles['key.grant']).toBe('Limit or endpoint changed');
});
