import { expect, onTestFinished, test } from 'vitest';
import { pagesAfter } from './pages-after.ts';

test('reads page after page until one is not full, and lets other work run in between', async () => {
  let turns = 0;
  let turn = setImmediate(function count() {
    turns++;
    turn = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(turn));
  const rows = Array.from({ length: 25 }, (_, n) => n + 1);
  const pages = pagesAfter({ first: 0, size: 10, keyOf: (row: number) => row }, (after) =>
    rows.filter((row) => row > after).slice(0, 10),
  );
  const found: number[] = [];
  const turnsAtPage: number[] = [];
  for await (const page of pages) {
    found.push(...page);
    turnsAtPage.push(turns);
  }
  expect(found).toEqual(rows);
  expect(new Set(turnsAtPage).size).toBe(3);
});
