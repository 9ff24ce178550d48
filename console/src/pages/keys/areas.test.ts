import { expect, test } from 'vitest';
import { catalogue } from '../../../../server/src/catalogue.ts';
import { areas } from './areas.ts';

test('every endpoint of the catalogue is in an area, in the order of the catalogue', () => {
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
  expect(areas.flatMap(({ endpoints }) => endpoints)).toEqual(catalogue);
});
