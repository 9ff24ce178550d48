import { expect, test } from 'vitest';
import { catalogue } from '../../../../server/src/base/catalogue.ts';
import type { Grant } from '../../api/types.ts';
import { callsByEndpoint } from '../../widgets/endpoints/by-area.ts';
import { defaultOf, hasDefaultLimit, isDefault } from './default-grant.ts';
import { countsOf, endpointGroups } from './endpoint-groups.ts';

const full = (path: string) => `api/b2b/v3/${path}`;
const grants: Grant[] = catalogue
  .map(({ endpoint }) => defaultOf({ endpoint }))
  .filter(({ endpoint }) => endpoint !== full('profiles/edit/'))
  .map((grant) =>
    grant.endpoint === full('search/hp/') ? { ...grant, requests_number: 400 } : grant,
  );
const item = (path: string, admitted: number, refused = 0) => ({
  at: '2026-01-31T12:00:00.000Z',
  endpoint: full(path),
  admitted,
  refused,
  failed: 0,
  peak_share: null,
});
const calls = callsByEndpoint([
  item('hotel/info/', 3),
  item('search/hp/', 5, 2),
  item('hotel/info/', 1),
]);
const all = { text: '', shown: undefined };
const pathsOf = (filter: Parameters<typeof endpointGroups>[2]) =>
  endpointGroups(grants, calls, filter).map(({ name, rows }) => [
    name,
    ...rows.map(({ path }) => path),
  ]);

test('used endpoints come first, the most called one at the top; none is lost and none is listed twice', () => {
  const groups = endpointGroups(grants, calls, all);
  expect(groups[0]).toMatchObject({
    name: 'Used in the last 7 days',
    rows: [
      { path: 'search/hp/', used: { calls: 7, refused: 2 } },
      { path: 'hotel/info/', used: { calls: 4, refused: 0 } },
    ],
  });
  const endpoints = groups.flatMap(({ rows }) => rows.map(({ endpoint }) => endpoint));
  expect(endpoints.toSorted()).toEqual(catalogue.map(({ endpoint }) => endpoint).toSorted());
});

test('endpoints are found by a part of their path or by their area, and by what they are', () => {
  expect(pathsOf({ ...all, text: ' INFO/D' })).toEqual([['Hotel data', 'hotel/info/dump/']]);
  expect(pathsOf({ ...all, text: 'prebook' })).toEqual([
    ['Prebook', 'serp/prebook/', 'hotel/prebook/'],
  ]);
  expect(pathsOf({ text: '', shown: 'changed' })).toEqual([
    ['Used in the last 7 days', 'search/hp/'],
  ]);
  expect(pathsOf({ text: '', shown: 'refused' })).toEqual([
    ['Used in the last 7 days', 'search/hp/'],
  ]);
  expect(pathsOf({ text: '', shown: 'missing' })).toEqual([['Profiles', 'profiles/edit/']]);
  expect(pathsOf({ text: 'hotel', shown: 'missing' })).toEqual([]);
  expect(countsOf(grants, calls)).toEqual({ changed: 1, refused: 1, missing: 1 });
});

test('a grant differs from the default in its limit, its activity or its debug mode', () => {
  const grant = defaultOf({ endpoint: full('search/hp/') });
  expect(isDefault({ ...grant })).toBe(true);
  const others = [{ requests_number: 11 }, { is_limited: false }, { seconds_number: 61 }];
  for (const other of others) expect(hasDefaultLimit({ ...grant, ...other })).toBe(false);
  for (const other of [...others, { is_active: false }, { is_debug_mode: true }]) {
    expect(isDefault({ ...grant, ...other })).toBe(false);
  }
  expect(hasDefaultLimit({ ...grant, is_active: false })).toBe(true);
});
