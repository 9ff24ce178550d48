import { expect, test } from 'vitest';
import { withoutKeys } from './run.ts';

const KEY = '022a2cf1-d279-02f3-9c3c-596aa09b827b';

test('a report contains no key, and no part of one at a cut', () => {
  expect(withoutKeys(`The reply: ${KEY}.`, [KEY])).toBe('The reply: (the API key).');
  for (const length of [4, 20, KEY.length - 1]) {
    const cut = `The reply: x ${KEY.slice(0, length)}…`;
    expect(withoutKeys(cut, ['other-key', KEY])).toBe('The reply: x (the API key)…');
  }
  expect(withoutKeys('The reply: no key…', [KEY])).toBe('The reply: no key…');
});
