import { expect, test } from 'vitest';
import { specifiedEndpoints, specifiedLimits } from '../../e2e/specified-endpoints.ts';
import { areas, catalogue, cataloguePosition, OVERVIEW } from './catalogue.ts';

test("the catalogue is the specification's listing, in the same order", () => {
  expect(specifiedEndpoints).toHaveLength(43);
  expect(specifiedLimits).toBe(43);
  expect(
    catalogue.map(({ endpoint, isLimited, requestsNumber, secondsNumber }) => ({
      endpoint,
      is_active: true,
      is_debug_mode: false,
      is_limited: isLimited,
      requests_number: requestsNumber,
      seconds_number: secondsNumber,
    })),
  ).toEqual(specifiedEndpoints);
});

test('each endpoint is listed once, without a leading slash and with a trailing one', () => {
  const endpoints = catalogue.map(({ endpoint }) => endpoint);
  expect(new Set(endpoints).size).toBe(43);
  for (const endpoint of endpoints) expect(endpoint).toMatch(/^api\/b2b\/v3\/([a-z_]+\/)+$/);
});

test('every endpoint has a position, and other paths have none', () => {
  expect(cataloguePosition(OVERVIEW)).toBe(42);
  expect(cataloguePosition('api/b2b/v3/search/hotelsort/')).toBe(0);
  expect(cataloguePosition('api/b2b/v3/overview')).toBeUndefined();
  expect(cataloguePosition('constructor')).toBeUndefined();
});

test('every endpoint is in the area that the specification gives it', () => {
  expect(areas.map(({ name, endpoints }) => [name, endpoints.length])).toEqual([
    ['Search', 7],
    ['Prebook', 2],
    ['Hotel data', 8],
    ['Hotel orders', 7],
    ['Documents', 6],
    ['Profiles', 6],
    ['Order groups', 5],
    ['General', 2],
  ]);
});
