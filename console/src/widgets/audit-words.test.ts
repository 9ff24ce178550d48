import { actorName } from '@bellhop/rules/actor-name';
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

test('names who acted without ids', () => {
  expect(actorName('Ann (tok_1)')).toBe('Ann');
  expect(actorName('Ann <ann@example.com> (oidc 7)')).toBe('Ann');
  expect(actorName('Blue Horizon (portal par_1)')).toBe('Blue Horizon (portal)');
});

test('names actions in words', () => {
  expect(actionTitles['key.grant']).toBe('Limit or endpoint changed');
});
