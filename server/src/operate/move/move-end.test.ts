import { expect, test } from 'vitest';
import { shownAddress } from './move-end.ts';

test.each([
  ['postgres://bellhop:hunter2@db/name?password=hunter2', 'postgres://bellhop@db/name'],
  ['postgresql://bellhop:hu%3Anter2@db:5433/name', 'postgresql://bellhop@db:5433/name'],
  ['postgres://db/name', 'postgres://db/name'],
  ['postgres://[hunter2', 'an address that is not a URL'],
  ['./data:1@2', './data:1@2'],
])('%s is shown without its password', (address, shown) => {
  expect(shownAddress(address)).toBe(shown);
});
