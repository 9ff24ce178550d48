import { expect, test } from 'vitest';
import { findingsByLine } from './import.ts';

const about = (text: string, ...lines: number[]) => lines.map((line) => ({ line, text }));

test.each([
  [[7], 'Line 7: no.'],
  // One row of a CSV file is several lines of an import.
  [[7, 7], 'Line 7: no.'],
  [[2, 3, 4], 'Lines 2 to 4: no.'],
  [[2, 9, 4, 3], 'Lines 2 to 4 and 9: no.'],
  [[1, 3, 5, 7, 9, 11, 12, 14], 'Lines 1, 3, 5, 7, 9 and 3 more: no.'],
])('the same about the lines %j is told once', (lines, told) => {
  expect(findingsByLine(about('no.', ...lines))).toEqual([told]);
});

test('different findings stay apart, in the order of their first lines', () => {
  expect(
    findingsByLine([...about('one.', 1, 2), ...about('two.', 2), ...about('one.', 3)]),
  ).toEqual(['Lines 1 to 3: one.', 'Line 2: two.']);
  expect(findingsByLine([])).toEqual([]);
});
