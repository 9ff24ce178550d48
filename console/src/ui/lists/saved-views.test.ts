import { expect, test } from 'vitest';
import { MOST_VIEWS, parseViews, withView } from './saved-views.ts';

const view = (name: string, search = '?state=pending') => ({ name, search });

test('reads what was saved, and nothing else', () => {
  expect(parseViews(JSON.stringify([view('Mine')]))).toEqual([view('Mine')]);
  for (const text of [null, 'not JSON', '{}', '[1, null, {"name": ""}, {"name": "x"}]']) {
    expect(parseViews(text)).toEqual([]);
  }
});

test('a view replaces that of the same name, and the oldest makes room', () => {
  const two = [view('a'), view('b')];
  expect(withView(two, view('a', '?type=updated'))).toEqual([
    view('b'),
    view('a', '?type=updated'),
  ]);
  const full = Array.from({ length: MOST_VIEWS }, (_, n) => view(`${n}`));
  const names = withView(full, view('new')).map(({ name }) => name);
  expect([names.length, names[0], names.at(-1)]).toEqual([MOST_VIEWS, '1', 'new']);
});
