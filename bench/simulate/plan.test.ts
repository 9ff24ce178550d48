import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COST, simulated } from './plan.ts';

const page = await readFile(
  join(import.meta.dirname, '..', '..', 'docs', 'scale', 'capacity.md'),
  'utf8',
);

test('the capacity page shows what the simulation prints', () => {
  expect(page).toContain(simulated(1));
});

test.each(Object.entries(COST))('the capacity page counts with the cost of %s', (_, micros) => {
  expect(page).toContain(`| ${micros} µs |`);
});
