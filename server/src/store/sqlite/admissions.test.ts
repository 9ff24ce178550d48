import { expect, test } from 'vitest';
import { readAdmissions, writeAdmissions } from './admissions.ts';

const ADMISSION = { keyId: '7', endpoint: 'overview/', atMs: 1_000, keepUntilMs: 9_000 };

test('a row of the journal is read as it was written', () => {
  const admissions = [
    ADMISSION,
    { ...ADMISSION, window: { requests: 5, spanMs: 8_000 }, id: 'a', epoch: 'b' },
    { ...ADMISSION, restatedAtMs: 7, past: { requests: 1, spanMs: 2, untilMs: 3 } },
  ];
  expect(readAdmissions(writeAdmissions(admissions))).toEqual(admissions);
});

test.each([
  ['cut off', '[["7","overview/",1000'],
  ['not a list', '{"0":["7"]}'],
  ['an admission of nobody', '[[null,"overview/",1000,9000]]'],
  ['a time that is not a number', '[["7","overview/","now",9000]]'],
  ['half of an earlier window', '[["7","overview/",1000,9000,null,5,null,[1,2]]]'],
])('a damaged row stops the start with a sentence: %s', (_what, text) => {
  expect(() => readAdmissions(text)).toThrow(
    'The journal of admissions holds a damaged row. Restore the data folder from a backup.',
  );
});
