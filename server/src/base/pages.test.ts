import { expect, onTestFinished, test } from 'vitest';
import { inPages, readPages } from './pages.ts';

const rows = Array.from({ length: 25 }, (_, n) => n + 1);

async function all<Page>(pages: AsyncIterable<Page>): Promise<Page[]> {
  const found: Page[] = [];
  for await (const page of pages) found.push(page);
  return found;
}

test('reads page after page until one is not full, and lets other work run in between', async () => {
  let turns = 0;
  let turn = setImmediate(function count() {
    turns++;
    turn = setImmediate(count);
  });
  onTestFinished(() => clearImmediate(turn));
  const pages = readPages<number>(10, (last = 0, size) =>
    rows.filter((row) => row > last).slice(0, size),
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

test.each([
  [0, [0]],
  [9, [9]],
  [10, [10, 0]],
])('of %i rows, reads pages of %j and yields none that is empty', async (count, read) => {
  const sizes: number[] = [];
  const pages = readPages<number>(10, (last = 0, size) => {
    const page = rows.slice(0, count).filter((row) => row > last);
    sizes.push(page.length);
    return page.slice(0, size);
  });
  const yielded = await all(pages);
  expect(sizes).toEqual(read);
  expect(yielded).toEqual(count === 0 ? [] : [rows.slice(0, count)]);
});

test('a stream of rows comes in pages, the last with what is left', async () => {
  const sizes = async (count: number) =>
    (await all(inPages(10, rows.slice(0, count)))).map(({ length }) => length);
  expect([await sizes(0), await sizes(20), await sizes(25)]).toEqual([[], [10, 10], [10, 10, 5]]);
});
